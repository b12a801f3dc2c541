/**
 * Copies a log into another store, batch by batch, with the same seqs, times, hashes and idempotency keys. The rows beside it are
 * computed again from the events. A copy can be continued: only what the target does not have is written.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { decodeBatch } from '@holdpoint/core/internal/log/batch'
import { NO_HASH } from '@holdpoint/core/internal/log/chain'
import type { EventBody, LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Address, Append, Store } from '@holdpoint/core/internal/log/store'
import { tenantRowsOf } from '@holdpoint/core/internal/log/tenant-rows'
import type { Ports } from '@holdpoint/core/internal/ports'
import { callIn } from '@holdpoint/core/internal/turn/call'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import { spaceMachine } from './space/space-machine.ts'

/** The reason in the tombstone of a log that was moved. A log that was erased has another one. */
export const MOVED = 'holdpoint:moved-to-another-cell'

const PAGE = 200

type AnyMachine = Machine<MachineState, MachineEffect>

export function isMoved(event: LogEvent | undefined): boolean {
  return event !== undefined && isTombstone(event) && 'reason' in event && event.reason === MOVED
}

/** Copies what the target does not have. */
export async function copyLog(from: Store, to: Store, address: Address, ports: Pick<Ports, 'id'>): Promise<void> {
  await new LogCopy(from, to, address, ports).goOn()
}

/**
 * Copies the log, and leaves a tombstone in the source exactly after the last event that was copied. So no write to the source is
 * lost: it comes before the tombstone and is copied, or it meets a conflict.
 */
export async function moveLog(
  from: Store,
  to: Store,
  address: Address,
  ports: Pick<Ports, 'id' | 'now'>,
): Promise<void> {
  const copy = new LogCopy(from, to, address, ports)
  for (;;) {
    const source = await copy.goOn()
    if (!source) return
    const answer = await from.append(tombstone(address, source, ports))
    if (answer.result === 'ok') return
    if (answer.result === 'failed' || answer.result === 'unknown')
      throw new HoldpointError('store-unavailable', `"${address.id}" could not be moved: ${answer.why}`)
  }
}

/** What the source had when it was read last. */
interface Source {
  readonly agent: string
  readonly seq: number
  readonly hash: string
}

function tombstone(to: Address, { agent, seq, hash }: Source, ports: Pick<Ports, 'id' | 'now'>): Append {
  const event: EventBody = spaceMachine.owns(agent)
    ? { type: 'space.erased', reason: MOVED }
    : { type: 'conversation.erased', agent, reason: MOVED }
  const rows = {
    agent,
    status: 'idle',
    wakeAt: undefined,
    base: undefined,
    holds: [],
    labels: [],
    hidden: true,
  } as const
  const place = { to, expectedSeq: seq, follows: hash, mark: ports.id() }
  return { ...place, events: [event], at: ports.now(), rows, erase: true }
}

class LogCopy {
  readonly #from: Store
  readonly #to: Store
  readonly #address: Address
  readonly #ports: Pick<Ports, 'id'>
  /** What was copied, as the target has it. */
  readonly #events: LogEvent[] = []
  #machine: AnyMachine | undefined
  #state: MachineState | undefined
  /** The end of the last batch that was read from the source, and its hash. */
  #read = 0
  #readHash = NO_HASH
  /** The end of the log in the target, and its hash. */
  #copied = 0
  #hash = NO_HASH

  constructor(from: Store, to: Store, address: Address, ports: Pick<Ports, 'id'>) {
    this.#from = from
    this.#to = to
    this.#address = address
    this.#ports = ports
  }

  /** Copies what the source has by now. Undefined when it has no such log, or the log was moved. */
  async goOn(): Promise<Source | undefined> {
    const loaded = await this.#from.load(this.#address)
    if (!loaded) return undefined
    this.#machine ??= (spaceMachine.owns(loaded.agent) ? spaceMachine : conversationMachine) as unknown as AnyMachine
    this.#state ??= this.#machine.empty
    const { keys = [], notes = [] } = (await tenantRowsOf(this.#from)?.besides(this.#address)) ?? {}
    const byEnd = new Map(keys.map(({ key, seq }) => [seq, key]))
    const there = await this.#to.load(this.#address)
    this.#copied = there?.seq ?? 0
    this.#hash = there?.hash ?? NO_HASH
    for (;;) {
      const batches = await this.#from.batches(this.#address, this.#read, PAGE)
      if (batches.length === 0) break
      for (const batch of batches) {
        const events = decodeBatch(batch)
        if (isMoved(events.at(-1))) return undefined
        await this.#write(events, byEnd.get(batch.seq))
        this.#read = batch.seq
        this.#readHash = batch.hash
      }
    }
    for (const note of notes) await this.#to.note(this.#address, note)
    return { agent: loaded.agent, seq: this.#read, hash: this.#readHash }
  }

  async #write(events: readonly LogEvent[], key: string | undefined): Promise<void> {
    const [machine, to, before] = [this.#machine!, this.#address, this.#state!]
    const [first] = events
    // What is left of an erased log begins the copy.
    const placed = first && isTombstone(first) ? [{ ...first, seq: before.seq + 1 }] : events
    const after = placed.reduce((state, event) => machine.evolve(state, event), before)
    const last = placed.at(-1)!
    if (last.seq > this.#copied) {
      const bodies = placed.map(({ seq: _seq, at: _at, ...body }) => body as EventBody)
      const rows = machine.derive(before, after, bodies, recalled(this.#events, placed))
      const place = { to, expectedSeq: before.seq, follows: this.#hash, mark: this.#ports.id() }
      const append = { ...place, events: bodies, at: last.at, rows }
      const answer = await this.#to.append(key === undefined ? append : { ...append, key })
      if (answer.result !== 'ok')
        throw new HoldpointError('store-unavailable', `"${to.id}" could not be copied: ${answer.result}.`)
      this.#hash = answer.hash
    }
    this.#events.push(...placed)
    this.#state = after
  }
}

/** The calls of earlier turns that the events are about. */
function recalled(before: readonly LogEvent[], events: readonly LogEvent[]): readonly Call[] {
  const ids = new Set(events.flatMap((event) => ('callId' in event ? [event.callId] : [])))
  return [...ids].flatMap((id) => callIn(before, id) ?? [])
}
