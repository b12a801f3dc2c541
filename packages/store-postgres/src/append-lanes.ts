/**
 * Appends on their way to the server. A lane is a line of them with one call in flight: whatever arrives meanwhile goes
 * with the next call, so the busier it is, the more share one round trip and one commit. A conversation always takes the
 * same lane, so its appends are made in the order they were given. Several lanes let one commit wait for the disk while
 * the next is prepared.
 */
import type { Address, Append, Appended } from '@holdpoint/core'
import type { Pool } from 'pg'
import {
  appendedOf,
  byConversation,
  callOf,
  opOf,
  tooLong,
  writtenOf,
  type Answer,
  type Op,
  type Written,
} from './append-call.ts'
import { isOutOfResources, mayBeWritten, why } from './broken.ts'
import type { Settings } from './options.ts'

export interface Lanes {
  append(write: Append): Promise<Appended>
  /** Everything that was given has its answer. */
  drain(): Promise<void>
}

interface Waiting {
  readonly op: Op
  readonly answer: (appended: Appended) => void
}

/** A call is kept short enough that those behind it do not wait long. */
const MOST_OPS = 200
const MOST_CHARS = 4_000_000

export function openLanes(settings: Settings, writers: Pool, written: (what: Written) => void): Lanes {
  const lanes = Array.from({ length: settings.lanes }, () => openLane(settings, writers, written))
  return {
    append: (write) => {
      const op = opOf(write)
      const refused = tooLong(op)
      if (refused !== undefined) return Promise.resolve({ result: 'failed', why: refused })
      const lane = lanes[hash(write.to) % lanes.length]!
      return new Promise((answer) => lane.give({ op, answer }))
    },
    drain: async () => {
      await Promise.all(lanes.map((lane) => lane.drain()))
    },
  }
}

interface Lane {
  give(waiting: Waiting): void
  drain(): Promise<void>
}

function openLane(settings: Settings, writers: Pool, written: (what: Written) => void): Lane {
  let queue: Waiting[] = []
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    // What is given in the same breath goes together.
    await Promise.resolve()
    while (queue.length > 0) {
      const size = sizeOfCall(queue)
      const batch = queue.slice(0, size).toSorted((a, b) => byConversation(a.op, b.op))
      queue = queue.slice(size)
      await call(settings, writers, batch, written)
    }
    running = undefined
  }
  return {
    give: (waiting) => {
      queue.push(waiting)
      running ??= run()
    },
    drain: async () => running,
  }
}

function sizeOfCall(queue: readonly Waiting[]): number {
  let chars = 0
  const size = queue.findIndex(({ op }, index) => {
    chars += op.events.length + (op.base?.length ?? 0)
    return index > 0 && (index >= MOST_OPS || chars > MOST_CHARS)
  })
  return size === -1 ? queue.length : size
}

/** Never throws: whatever happens, each append of the batch is answered. */
async function call(
  settings: Settings,
  writers: Pool,
  batch: readonly Waiting[],
  written: (what: Written) => void,
): Promise<void> {
  const outcome = await attempt(settings, writers, batch)
  if ('answers' in outcome) {
    for (const [index, { op, answer }] of batch.entries()) {
      const told = outcome.answers[index]!
      const done = writtenOf(op, told)
      if (done) written(done)
      answer(appendedOf(op, told))
    }
    return
  }
  const { result, error } = outcome
  if (result === 'failed' && batch.length > 1 && !isOutOfResources(error) && outcome.sent) {
    // One of them broke the call for all, which was rolled back. Which one, each on its own will tell.
    for (const waiting of batch) await call(settings, writers, [waiting], written)
    return
  }
  for (const { answer } of batch) answer({ result, why: why(error) })
}

type Outcome =
  | { readonly answers: readonly Answer[] }
  | { readonly result: 'failed' | 'unknown'; readonly error: unknown; readonly sent: boolean }

async function attempt(settings: Settings, writers: Pool, batch: readonly Waiting[]): Promise<Outcome> {
  let query
  let client
  try {
    query = callOf(
      settings.schema,
      settings.clockOffset(),
      batch.map(({ op }) => op),
    )
    client = await writers.connect()
  } catch (error) {
    return { result: 'failed', error, sent: false }
  }
  try {
    const { rows } = await client.query<Answer>(query)
    client.release()
    return { answers: rows }
  } catch (error) {
    const unknown = mayBeWritten(error)
    client.release(unknown)
    return { result: unknown ? 'unknown' : 'failed', error, sent: true }
  }
}

function hash({ tenant, id }: Address): number {
  let sum = 0
  for (const text of [tenant, id]) {
    for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) >>> 0
  }
  return sum
}
