/**
 * Callbacks in this process: `hp.on('held', …)`. A callback hears of what this process wrote, after it is durable, and at most
 * once. One that fails is a problem for `onProblem` and stops nothing.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { EndReason, LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { Resolution } from '@holdpoint/core/internal/turn/hold'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import { newHolds } from './new-holds.ts'
import type { NewHold } from './runtime-options.ts'

/** What `hp.on` tells, by name. */
export interface RuntimeEvents {
  /** A call began to wait for an answer from outside. */
  readonly held: NewHold
  /** An answer to a hold was accepted. `by` is missing for an answer without an author. */
  readonly resolved: CallHappened & {
    readonly resolution: Resolution
    readonly by?: string
    readonly onBehalfOf?: string
  }
  /** A call got its result. The outcome of an async call that still waits is "pending". */
  readonly settled: CallHappened & { readonly outcome: CallOutcome }
  /** A turn ended. */
  readonly ended: Happened & { readonly turnId: string; readonly reason: EndReason; readonly message?: string }
}

interface Happened {
  readonly tenant: string
  readonly conversationId: string
  readonly at: number
}

interface CallHappened extends Happened {
  readonly callId: string
}

export type RuntimeCallback<E extends keyof RuntimeEvents> = (event: RuntimeEvents[E]) => void | Promise<void>

const NAMES: readonly string[] = ['held', 'resolved', 'settled', 'ended'] satisfies (keyof RuntimeEvents)[]

interface Entry {
  readonly name: keyof RuntimeEvents
  /** Undefined: of every tenant. */
  readonly tenant: string | undefined
  readonly call: (event: never) => void | Promise<void>
}

export class Callbacks {
  readonly #entries = new Set<Entry>()
  readonly #problem: (error: unknown, address: Address) => void

  constructor(problem: (error: unknown, address: Address) => void) {
    this.#problem = problem
  }

  /** Returns a function that ends it. The same function may be given twice, and is then called twice. */
  on<E extends keyof RuntimeEvents>(name: E, callback: RuntimeCallback<E>, tenant: string | undefined): () => void {
    if (!NAMES.includes(name))
      throw new HoldpointError('config-invalid', `There is no event "${String(name)}". There are ${NAMES.join(', ')}.`)
    if (typeof callback !== 'function') throw new HoldpointError('config-invalid', 'A callback must be a function.')
    const entry: Entry = { name, tenant, call: callback }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  tell(events: readonly LogEvent[], state: Conversation, address: Address): void {
    if (this.#entries.size === 0) return
    for (const hold of newHolds(events, state, address)) this.#call('held', hold, address)
    for (const event of events) this.#tellEvent(event, state, address)
  }

  #tellEvent(event: LogEvent, { turn }: Conversation, address: Address): void {
    const happened: Happened = { tenant: address.tenant, conversationId: address.id, at: event.at }
    if ('resolution' in event && event.resolution) {
      const { callId, resolution, by, onBehalfOf } = event
      const who = { ...(by !== undefined && { by }), ...(onBehalfOf !== undefined && { onBehalfOf }) }
      this.#call('resolved', { ...happened, callId, resolution, ...who }, address)
    }
    if (event.type === 'call.settled' || event.type === 'answer.arrived')
      this.#call('settled', { ...happened, callId: event.callId, outcome: event.outcome }, address)
    const end = endOf(event)
    // A reply after which the same turn goes on: a hook sent it back, or the structured output is still to come.
    const goesOn = turn.phase !== 'rest' && 'turnId' in event && turn.turnId === event.turnId
    if (end && !goesOn) this.#call('ended', { ...happened, ...end }, address)
  }

  #call<E extends keyof RuntimeEvents>(name: E, event: RuntimeEvents[E], address: Address): void {
    for (const entry of this.#entries) {
      if (entry.name !== name || (entry.tenant ?? address.tenant) !== address.tenant) continue
      Promise.resolve(event)
        // A callback that was removed meanwhile is not called any more.
        .then((told) => (this.#entries.has(entry) ? entry.call(told as never) : undefined))
        .catch((error: unknown) => this.#problem(error, address))
    }
  }
}

function endOf(event: LogEvent): Pick<RuntimeEvents['ended'], 'turnId' | 'reason' | 'message'> | undefined {
  if (event.type !== 'turn.ended' && event.type !== 'model.replied') return undefined
  const { turnId, message } = event
  const said = message === undefined ? {} : { message }
  if (event.type === 'turn.ended') return { turnId, reason: event.reason, ...said }
  if (event.again || event.reply.parts.some(({ type }) => type === 'call')) return undefined
  return { turnId, reason: event.ends ?? 'completed', ...said }
}
