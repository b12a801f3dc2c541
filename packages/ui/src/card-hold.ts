import type { HoldChanged, PendingHold, ViewHold } from '@holdpoint/client'

/** A hold as a card shows it. Only the list of holds says who approved it, and what the person at the screen may do. */
export type CardHold = ViewHold & Partial<Pick<PendingHold, 'endorsed' | 'missing' | 'may' | 'conversationId'>>

/** What a person can do with a hold besides answering it. */
export interface HoldDiscussionHandlers {
  /** The id of the person at the screen. */
  readonly me: string | undefined
  /** `false` removes the assignee. */
  readonly onAssign: (take: boolean) => Promise<HoldChanged>
  readonly onComment: (text: string) => Promise<HoldChanged>
}

export function mayApprove({ may }: CardHold): boolean {
  return may?.approve ?? true
}

export function mayResolve({ may }: CardHold): boolean {
  return may?.resolve ?? true
}

/** What an approval is bound to. An endorsement counts too: the last of them makes the call run. */
export function boundTo({ nth, inputHash, fingerprint, endorsedBy }: CardHold): string {
  return `${nth} ${inputHash} ${fingerprint} ${endorsedBy.length}`
}
