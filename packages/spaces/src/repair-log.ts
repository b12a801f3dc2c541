/**
 * Repairs a damaged log: what is as it was written stays, up to the first batch that is not. What comes after it is handed to `keep` and
 * leaves the store, or is replaced by the events of an export. All rows beside the log are computed again from its events.
 *
 * The log may then be older than what happened. So a conversation that was under way is marked as after a restore: nothing goes on by
 * itself, and a call that may have run is in doubt.
 */
import { HoldpointError, messageOf } from '@holdpoint/core/internal/failure'
import { canonical } from '@holdpoint/core/internal/json'
import { decodeBatch, encodeBatch, type Batch } from '@holdpoint/core/internal/log/batch'
import { chainText, NO_HASH } from '@holdpoint/core/internal/log/chain'
import type { LogEvent, NewEvent } from '@holdpoint/core/internal/log/log-event'
import { logRepairOf, type WholeBatch } from '@holdpoint/core/internal/log/log-repair'
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { sha256 } from '@holdpoint/core/internal/sha256'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { decideRestored } from '@holdpoint/core/internal/turn/restored'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { readExport } from '@holdpoint/runtime/internal/runtime/read-export'
import { recalledIn } from './recalled-in.ts'
import { spaceMachine } from './space/space-machine.ts'
import { problemsOfLog } from './verify-store.ts'

export interface RepairOptions {
  /** The lines of an export that has the log. Its events must continue what is as it was written. */
  readonly from?: Iterable<string>
  /** Repairs also a log that a living process drives. Its appends are refused from then on. Default: it is refused. */
  readonly fence?: boolean
  /**
   * Gets everything that the store has of the log, as lines of JSON, before anything is changed. If it throws, nothing is. What it keeps
   * must be durable.
   */
  keep(lines: readonly string[]): void | Promise<void>
}

export interface RepairedLog {
  /** What was wrong. Empty: nothing was, and nothing was changed. */
  readonly problems: readonly string[]
  /** The events up to this seq are as they were written. */
  readonly keptUntil: number
  /** Batches after it, which are not in the log any more. */
  readonly removedBatches: number
  /** Events that came from the export. */
  readonly restoredEvents: number
  /** The end of the log now. 0: nothing of it could be kept, and it is gone. */
  readonly seq: number
}

type AnyMachine = Machine<MachineState, MachineEffect>

const MACHINES = [conversationMachine, spaceMachine] as unknown as readonly AnyMachine[]
const PAGE = 1000

export async function repairLog(
  store: Store,
  log: Address,
  { from, fence = false, keep }: RepairOptions,
  ports: Pick<Ports, 'id' | 'now'>,
): Promise<RepairedLog> {
  const repair = logRepairOf(store)
  if (!repair) throw new HoldpointError('config-invalid', 'This store has no damage to repair: it is in memory.')
  const exported = from && (await eventsIn(from, log.id))
  const dumped = await repair.dump(log)
  if (dumped.length === 0) throw new HoldpointError('config-invalid', `The store has no log "${log.id}".`)
  const problems = await problemsOfLog(store, log)
  const batches = await allBatches(store, log)
  const rebuilt = new RebuiltLog(log, ports)
  const kept = batches.findIndex((batch) => !rebuilt.addWhole(batch))
  const keptUntil = rebuilt.seq
  const removedBatches = kept === -1 ? 0 : batches.length - kept
  const nothing = { problems, keptUntil, removedBatches, restoredEvents: 0, seq: keptUntil }
  if (problems.length === 0) return nothing
  const restoredEvents = exported ? rebuilt.addExported(exported) : 0
  rebuilt.addMark()
  const why = { type: 'repair', log, at: ports.now(), problems, keptUntil, removedBatches, restoredEvents }
  await keep([JSON.stringify(why), ...dumped])
  const result = await repair.replace(log, rebuilt.batches, { dumped, fence })
  if (result === 'changed')
    throw new HoldpointError('store-unavailable', `A process wrote to "${log.id}" at the same time. Repair it again.`)
  if (result === 'owned')
    throw new HoldpointError(
      'config-invalid',
      `A process drives "${log.id}" now. Stop it, or take the log from it with "fence". Nothing was changed.`,
    )
  return { ...nothing, restoredEvents, seq: rebuilt.seq }
}

async function eventsIn(lines: Iterable<string>, id: string): Promise<readonly LogEvent[]> {
  let found: readonly LogEvent[] | undefined
  try {
    // To its end: an export that was cut is not believed.
    for await (const log of readExport(lines, MACHINES)) if (log.id === id) found = log.events
  } catch (error) {
    throw exportUnfit(messageOf(error))
  }
  if (!found) throw exportUnfit(`it has no log "${id}".`)
  return found
}

async function allBatches(store: Store, log: Address): Promise<readonly Batch[]> {
  const batches: Batch[] = []
  for (;;) {
    const page = await store.batches(log, batches.at(-1)?.seq ?? 0, PAGE)
    if (page.length === 0) return batches
    batches.push(...page)
  }
}

/** The log as it will be, with the rows of each of its appends. */
class RebuiltLog {
  readonly batches: WholeBatch[] = []
  readonly #log: Address
  readonly #ports: Pick<Ports, 'id' | 'now'>
  readonly #events: LogEvent[] = []
  #machine: AnyMachine | undefined
  #state: MachineState = { seq: 0 }

  constructor(log: Address, ports: Pick<Ports, 'id' | 'now'>) {
    this.#log = log
    this.#ports = ports
  }

  get seq(): number {
    return this.#state.seq
  }

  /** False for a batch that is not as it was written, or whose events cannot have happened. */
  addWhole(batch: Batch): boolean {
    if (batch.hash !== NO_HASH && batch.hash !== sha256(chainText(this.#hash, batch))) return false
    try {
      this.#add(batch)
      return true
    } catch (error) {
      if (HoldpointError.is(error) && error.code === 'config-invalid') throw error
      return false
    }
  }

  /** Adds what the export has after the events that are there. Returns how many. */
  addExported(given: readonly LogEvent[]): number {
    for (const event of this.#events) {
      const other = given[event.seq - 1]
      if (other && canonical(other as never) !== canonical(event as never))
        throw exportUnfit(`event ${event.seq} of it is another one than in the log, where it is as it was written.`)
    }
    if (given.length <= this.seq)
      throw exportUnfit(`it ends at seq ${given.length}, and the log is as it was written up to ${this.seq}.`)
    const missing = given.slice(this.seq)
    for (const { seq, at, ...body } of missing) {
      try {
        this.#append([body], seq, at)
      } catch (error) {
        throw exportUnfit(`event ${seq} of it cannot have happened: ${messageOf(error)}`)
      }
    }
    return missing.length
  }

  /** After the end that was lost, a call may have run, and a person may have answered. */
  addMark(): void {
    if (this.#machine !== MACHINES[0]) return
    const decision = decideRestored(this.#state as Conversation)
    if (!decision.ok || decision.events.length === 0) return
    this.#append(decision.events, this.seq + decision.events.length, this.#ports.now())
  }

  #append(bodies: readonly NewEvent[], seq: number, at: number): void {
    const batch = { seq, at, events: encodeBatch(bodies) }
    this.#add({ ...batch, hash: sha256(chainText(this.#hash, batch)) })
  }

  #add(batch: Batch): void {
    const events = decodeBatch(batch)
    const [first] = events
    if (!first) throw new HoldpointError('log-damaged', `The batch at ${batch.seq} has no events.`)
    this.#machine ??= this.#begin(first)
    const before = this.#state
    const after = events.reduce((state, event) => this.#machine!.evolve(state, event), before)
    if (after.seq !== batch.seq || first.seq !== before.seq + 1)
      throw new HoldpointError('log-damaged', `The batch at ${batch.seq} does not follow ${before.seq}.`)
    const bodies = JSON.parse(batch.events) as NewEvent[]
    const rows = this.#machine.derive(before, after, bodies, recalledIn(this.#events, events))
    const place = { to: this.#log, expectedSeq: before.seq, follows: this.#hash, mark: this.#ports.id() }
    this.batches.push({ batch, append: { ...place, events: bodies, at: batch.at, rows } })
    this.#events.push(...events)
    this.#state = after
  }

  #begin(first: LogEvent): AnyMachine {
    if (first.seq > 1)
      throw new HoldpointError(
        'config-invalid',
        `"${this.#log.id}" was erased, and has nothing that could be repaired.`,
      )
    const machine = MACHINES.find((each) => each.begins(first))
    if (!machine) throw new HoldpointError('log-damaged', `No log begins with "${first.type}".`)
    this.#state = machine.empty
    return machine
  }

  get #hash(): string {
    return this.batches.at(-1)?.batch.hash ?? NO_HASH
  }
}

function exportUnfit(why: string): HoldpointError {
  return new HoldpointError('config-invalid', `The export does not fit: ${why} Nothing was changed.`)
}
