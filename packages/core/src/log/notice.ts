/**
 * A notice tells another log of an event: a message in a space goes to the inbox of each agent there, and a visible call
 * goes to the space that it was made in. News of a turn or a hold go to the store's outbox, for channels and webhooks. The
 * outbox of a state keeps each notice until it is delivered. The receiving log appends it under an idempotency key, so a
 * second delivery changes nothing.
 */
import type { EndReason } from './log-event.ts'
import type { InboxEvent } from './message.ts'
import type { LogEvent } from './log-event.ts'
import type { ShownEvent } from './space-event.ts'

/** `n` is unique among the notices of its log. A message is kept once, however many agents receive it. */
export type Notice = {
  readonly n: string
} & (
  | { readonly agents: readonly string[]; readonly at: number; readonly message: SpaceMessage }
  | { readonly space: string; readonly show: ShownEvent }
  | { readonly news: News; readonly at: number }
)

/** What happened, for readers outside of the log. It has no content: a reader loads the newest state. */
export type News =
  | { readonly type: 'turn.ended'; readonly turnId: string; readonly reason: EndReason }
  /** `hold`: which of the call's holds, from 1. `changed`: another approval, reminder, escalation, assignee or comment. */
  | {
      readonly type: 'hold.opened' | 'hold.changed' | 'hold.closed'
      readonly callId: string
      readonly hold: number
    }

/** A notice for one receiver. */
export type Delivery = {
  readonly n: string
} & (
  | { readonly agent: string; readonly at: number; readonly message: SpaceMessage }
  | { readonly space: string; readonly show: ShownEvent }
  | { readonly news: News; readonly at: number }
)

/** A delivery to another log, not to the store's outbox. */
export type LogDelivery = Exclude<Delivery, { readonly news: News }>

export function deliveriesOf(notice: Notice): readonly Delivery[] {
  if (!('agents' in notice)) return [notice]
  const { agents, ...rest } = notice
  return agents.map((agent) => ({ ...rest, agent }))
}

/** Without the id of the space, which is the log that the notice comes from. */
export type SpaceMessage = Omit<Extract<InboxEvent, { readonly type: 'space.message' }>, 'space'>

export type UnnumberedNotice = Notice extends infer N ? (N extends Notice ? Omit<N, 'n'> : never) : never

/** Adds the notices of an event to the outbox of the state it leads to. */
export function withNotices<S extends { readonly outbox: readonly Notice[] }>(
  state: S,
  { seq }: LogEvent,
  notices: readonly UnnumberedNotice[],
): S {
  if (notices.length === 0) return state
  const numbered = notices.map((notice, index): Notice => ({ ...notice, n: `${seq}.${index}` }))
  return { ...state, outbox: [...state.outbox, ...numbered] }
}
