/**
 * Copies a log into another store, batch by batch, with the same seqs, times, hashes and idempotency keys. The rows beside it are
 * computed again from the events. A copy can be continued: only what the target does not have is written.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { decodeBatch, type Batch } from '@holdpoint/core/internal/log/batch'
import { NO_HASH, type Head } from '@holdpoint/core/internal/log/chain'
import type { EventBody, LogEvent, NewEvent } from '@holdpoint/core/internal/log/log-event'
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Address, Loaded, Store } from '@holdpoint/core/internal/log/store'
import { tenantRowsOf } from '@holdpoint/core/internal/log/tenant-rows'
import type { Ports } from '@holdpoint/core/internal/ports'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import { recalledIn } from './recalled-in.ts'
import { spaceMachine } from './space/space-machine.ts'

/** The reason in the tombstone of a log that was moved. A log that was erased has another one. */
export const MOVED = 'holdpoint:moved-to-another-cell'

const PAGE = 200

type AnyMachine = Machine<MachineState, MachineEffect>

export function isMoved(event: LogEvent | undefined): boolean {
  return event !== undefined && isTombstone(event) && 'reason' in event && event.reason === MOVED
}

/** Copies what the source has now and the target does not have. A log that grows meanwhile grows without end, so the rest is left. */
export async function copyLog(from: Store, to: Store, address: Address, ports: Pick<Ports, 'id'>): Promise<void> {
  const loaded = await from.load(address)
  if (loaded) await new LogCopy(from, to, address, ports).copy(loaded)
}

/**
 * A writer may be as fast as the copy, so the source is ended first: with a tombstone, which every other writer meets as a conflict.
 * Then everything before the tombstone is copied, and nothing but a tombstone stays in the source.
 */
export async function moveLog(
  from: Store,
  to: Store,
  address: Address,
  ports: Pick<Ports, 'id' | 'now'>,
): Promise<void> {
  for (;;) {
    const loaded = await from.load(address)
    if (!loaded || isOnlyMoved(loaded)) return
    if (!(await endsInTombstone(from, address, loaded))) {
      await endLog(from, address, loaded, ports)
      continue
    }
    await new LogCopy(from, to, address, ports).copy(loaded)
    if (await appendTombstone(from, address, { ...loaded, erase: true }, ports)) return
  }
}

/** A log that was moved: its events are gone. */
function isOnlyMoved({ base, events }: Loaded): boolean {
  return base === undefined && events.length === 1 && isMoved(events[0])
}

/** No writer adds to such a log, whether it was moved or erased. */
async function endsInTombstone(store: Store, address: Address, { seq }: Head): Promise<boolean> {
  const [last] = await store.readBack(address, seq + 1, 1)
  return last !== undefined && isTombstone(last)
}

/** Between a read and its append, another writer has time for about one append. So only what is new is read again. */
async function endLog(
  from: Store,
  address: Address,
  { agent, ...loaded }: Loaded,
  ports: Pick<Ports, 'id' | 'now'>,
): Promise<void> {
  let head: Head = loaded
  while (!(await appendTombstone(from, address, { ...head, agent }, ports))) {
    const found = await from.follow(address, head)
    // The log was erased, or another process moves it, too.
    if (!found || found.events.some(isTombstone)) return
    head = found.head
  }
}

interface End extends Head {
  readonly agent: string
  /** Whether the tombstone replaces all other events. */
  readonly erase?: true
}

/** False when the log has another end by now. */
async function appendTombstone(
  from: Store,
  to: Address,
  { agent, seq, hash, erase }: End,
  ports: Pick<Ports, 'id' | 'now'>,
): Promise<boolean> {
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
  const answer = await from.append({ ...place, events: [event], at: ports.now(), rows, ...(erase && { erase }) })
  if (answer.result === 'failed' || answer.result === 'unknown')
    throw new HoldpointError('store-unavailable', `"${to.id}" could not be moved: ${answer.why}`)
  return answer.result === 'ok'
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
  /** The end of the log in the target, and its hash. */
  #copied = 0
  #hash = NO_HASH

  constructor(from: Store, to: Store, address: Address, ports: Pick<Ports, 'id'>) {
    this.#from = from
    this.#to = to
    this.#address = address
    this.#ports = ports
  }

  /** Up to the end that was loaded, or to the tombstone of a move. */
  async copy({ agent, seq }: Loaded): Promise<void> {
    this.#machine = (spaceMachine.owns(agent) ? spaceMachine : conversationMachine) as unknown as AnyMachine
    this.#state = this.#machine.empty
    const { keys = [], notes = [] } = (await tenantRowsOf(this.#from)?.besides(this.#address)) ?? {}
    const byEnd = new Map(keys.map(({ key, seq: end }) => [end, key]))
    const there = await this.#to.load(this.#address)
    if (isMoved(there?.events.at(-1)))
      throw new HoldpointError(
        'config-invalid',
        `The target still has what an earlier move left there. First finish that move: move the tenant to the cell it is in.`,
      )
    // It was erased, before an earlier copy or in it.
    if (there && (await endsInTombstone(this.#to, this.#address, there))) return
    this.#copied = there?.seq ?? 0
    this.#hash = there?.hash ?? NO_HASH
    for (let read = 0; read < seq;) {
      const batches = await this.#from.batches(this.#address, read, PAGE)
      if (batches.length === 0) break
      for (const batch of batches) {
        const events = decodeBatch(batch)
        read = batch.seq
        if (!isMoved(events.at(-1))) await this.#write(batch, events, byEnd.get(batch.seq))
      }
    }
    for (const note of notes) await this.#to.note(this.#address, note)
  }

  async #write(batch: Batch, events: readonly LogEvent[], key: string | undefined): Promise<void> {
    const [machine, before] = [this.#machine!, this.#state!]
    const [first] = events
    const erased = first !== undefined && isTombstone(first)
    const after = events.reduce((state, event) => machine.evolve(state, event), before)
    const last = events.at(-1)!
    if (last.seq > this.#copied) {
      // Not from the events: some have a time of their own.
      const bodies = JSON.parse(batch.events) as NewEvent[]
      const rows = machine.derive(before, after, bodies, recalledIn(this.#events, events))
      // An erasure also removes what was copied before it. Where nothing was, its seq is 1.
      const expectedSeq = erased ? this.#copied : before.seq
      const place = { to: this.#address, expectedSeq, follows: this.#hash, mark: this.#ports.id() }
      const whole = { ...(erased && { erase: true as const }), ...(key !== undefined && { key }) }
      const answer = await this.#to.append({ ...place, events: bodies, at: batch.at, rows, ...whole })
      if (answer.result !== 'ok')
        throw new HoldpointError('store-unavailable', `"${this.#address.id}" could not be copied: ${answer.result}.`)
      this.#hash = answer.hash
      this.#copied = answer.events.at(-1)!.seq
    }
    this.#events.push(...events)
    this.#state = after
  }
}
