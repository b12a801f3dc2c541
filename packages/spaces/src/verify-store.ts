/**
 * Checks everything that a store has of its conversations and spaces: the hash chain of each log, whether its events can have happened,
 * and whether the rows beside it follow from them. It reads every event, so it takes its time in a large store.
 */
import { canonical } from '@holdpoint/core/internal/json'
import { HoldpointError, messageOf } from '@holdpoint/core/internal/failure'
import { decodeBatch, type Batch } from '@holdpoint/core/internal/log/batch'
import { chainText, NO_HASH } from '@holdpoint/core/internal/log/chain'
import type { EventBody, LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Address, Derived, HoldRow, Store, WalkedConversation } from '@holdpoint/core/internal/log/store'
import { sha256 } from '@holdpoint/core/internal/sha256'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { recalledIn } from './recalled-in.ts'
import { wrongFiles } from './wrong-files.ts'
import { spaceMachine } from './space/space-machine.ts'

export interface StoreReport {
  /** Conversations and spaces. */
  readonly logs: number
  readonly events: number
  /** Batches from before logs had hashes. Only their rows and their order were checked. */
  readonly withoutHash: number
  readonly problems: readonly StoreProblem[]
}

export interface StoreProblem {
  /** Undefined for a problem of the store itself. */
  readonly log?: Address
  readonly message: string
  /** The events up to this seq are as they were written. */
  readonly goodUntil?: number
}

const PAGE = 100

/** Does not stop at a damaged log. */
export async function verifyStore(store: Store): Promise<StoreReport> {
  const counts: Counts = { events: 0, withoutHash: 0 }
  const problems: StoreProblem[] = (await store.inspect()).map((message) => ({ message }))
  let logs = 0
  for (let after: string | undefined; ;) {
    const page = await store.walk({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const row of page.items) {
      logs++
      problems.push(...(await problemsOf(store, row, counts)))
    }
    if (page.next === undefined) return { logs, ...counts, problems }
    after = page.next
  }
}

/** Of one log, which lists may leave out because it is hidden. */
export async function problemsOfLog(store: Store, log: Address): Promise<readonly string[]> {
  for (let after: string | undefined; ;) {
    const page = await store.walk({ limit: PAGE, ...(after !== undefined && { after }) })
    const row = page.items.find(({ tenant, id }) => tenant === log.tenant && id === log.id)
    if (row) return (await problemsOf(store, row, { events: 0, withoutHash: 0 })).map(({ message }) => message)
    if (page.next === undefined) break
    after = page.next
  }
  const read = await store.load(log).catch(messageOf)
  return typeof read === 'string' ? [read] : []
}

interface Counts {
  events: number
  withoutHash: number
}

async function problemsOf(store: Store, row: WalkedConversation, counts: Counts): Promise<readonly StoreProblem[]> {
  const log: Address = { tenant: row.tenant, id: row.id }
  let goodUntil = 0
  try {
    const batches = await allBatches(store, log)
    let before = NO_HASH
    for (const batch of batches) {
      checkBatch(before, batch)
      before = batch.hash
      goodUntil = batch.seq
      counts.withoutHash += Number(batch.hash === NO_HASH)
    }
    const replayed = spaceMachine.owns(row.agent) ? replay(spaceMachine, batches) : replay(conversationMachine, batches)
    counts.events += replayed.seq
    const files = batches.map((batch): unknown => JSON.parse(batch.events))
    const problems = [...(await wrongRows(store, row, replayed)), ...(await wrongFiles(store, row.tenant, files))]
    return problems.map((message) => ({ log, message, goodUntil }))
  } catch (error) {
    return [{ log, message: messageOf(error), goodUntil }]
  }
}

async function allBatches(store: Store, log: Address): Promise<readonly Batch[]> {
  const batches: Batch[] = []
  for (;;) {
    const page = await store.batches(log, batches.at(-1)?.seq ?? 0, 1000)
    if (page.length === 0) return batches
    batches.push(...page)
  }
}

/** A chain may end where a process of a version before the chain wrote, and begin again after it. */
function checkBatch(before: string, batch: Batch): void {
  if (batch.hash === NO_HASH || batch.hash === sha256(chainText(before, batch))) return
  throw new HoldpointError(
    'log-damaged',
    `The events up to ${batch.seq} are not those that were written after the batch before.`,
  )
}

interface Replayed {
  readonly seq: number
  readonly hash: string
  readonly rows: Derived | undefined
  readonly base: { readonly seq: number; readonly state: unknown } | undefined
  readonly holds: ReadonlyMap<string, HoldRow>
}

/** The rows as each append derived them. Throws for events that cannot have happened. */
function replay<S extends MachineState, F extends MachineEffect>(
  machine: Machine<S, F>,
  batches: readonly Batch[],
): Replayed {
  let state = machine.empty
  let rows: Derived | undefined
  let base: Replayed['base']
  const holds = new Map<string, HoldRow>()
  const log: LogEvent[] = []
  for (const batch of batches) {
    const events = decodeBatch(batch)
    const before = state
    for (const event of events) state = machine.evolve(state, event)
    rows = machine.derive(before, state, events.map(bodyOf), recalledIn(log, events))
    log.push(...events)
    for (const hold of rows.holds) holds.set(hold.callId, hold)
    if (rows.base !== undefined) base = { seq: batch.seq, state: rows.base }
  }
  return { seq: state.seq, hash: batches.at(-1)?.hash ?? NO_HASH, rows, base, holds }
}

function bodyOf({ seq: _seq, at: _at, ...body }: LogEvent): EventBody {
  return body
}

async function wrongRows(store: Store, row: WalkedConversation, replayed: Replayed): Promise<readonly string[]> {
  const problems: string[] = []
  const compare = (what: string, is: unknown, should: unknown): void => {
    if (textOf(is) !== textOf(should)) problems.push(`${what} is ${textOf(is)}, and the events say ${textOf(should)}.`)
  }
  const { rows, seq, hash, base, holds } = replayed
  const loaded = await store.load({ tenant: row.tenant, id: row.id })
  compare('The head', [loaded?.seq, loaded?.hash], [seq, hash])
  compare('The row', [row.agent, row.status, row.seq], [rows?.agent, rows?.status, seq])
  if (loaded?.base) compare('The stored state', loaded.base.state, base?.state)
  compare('What is held', await openHolds(store, row), openRows(holds))
  for (const { callId, seqs } of holds.values()) {
    const events = await store.readCall({ tenant: row.tenant, id: row.id }, callId)
    compare(
      `The list of events of call ${callId}`,
      events.map(({ seq }) => seq),
      seqs,
    )
  }
  return problems
}

async function openHolds(store: Store, { tenant, id }: Address): Promise<unknown> {
  const open: unknown[] = []
  for (let after: string | undefined; ;) {
    const page = await store.pending({ tenant, conversationId: id, limit: PAGE, ...(after !== undefined && { after }) })
    for (const { callId, tool, kind, heldAt, expiresAt } of page.items)
      open.push({ callId, tool, kind, heldAt, expiresAt })
    if (page.next === undefined) return sorted(open)
    after = page.next
  }
}

function openRows(holds: ReadonlyMap<string, HoldRow>): unknown {
  const open = [...holds.values()].filter((hold) => hold.open)
  return sorted(open.map(({ callId, tool, kind, heldAt, expiresAt }) => ({ callId, tool, kind, heldAt, expiresAt })))
}

function sorted(rows: readonly unknown[]): readonly unknown[] {
  return rows.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

function textOf(value: unknown): string {
  return value === undefined ? 'missing' : canonical(value as never)
}
