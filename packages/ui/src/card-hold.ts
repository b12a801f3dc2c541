import type { HoldChanged, PendingHold, ViewHold } from '@holdpoint/client'

/** A hold as a card shows it. The list of holds says more about it than a conversation: who approved, and what the reader may do. */
export type CardHold = ViewHold & Partial<Pick<PendingHold, 'endorsed' | 'missing' | 'may'>>

/** What the people who decide do with a hold besides answering it. */
export interface HoldTalkHandlers {
  /** The id of the person who reads. */
  readonly me: string | undefined
  /** `false` releases it. */
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
