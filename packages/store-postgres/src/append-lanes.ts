/**
 * Appends on their way to the server. A lane is a line of them with one call in flight: whatever arrives meanwhile goes
 * with the next call, so the busier it is, the more share one round trip and one commit. A conversation always takes the
 * same lane, so its appends are made in the order they were given. Several lanes let one commit wait for the disk while
 * the next is prepared.
 */
import type { Address, Append, Appended } from '@holdpoint/core'
import type { Pool, PoolClient } from 'pg'
import {
  answersIn,
  appendedOf,
  byConversation,
  callOf,
  opOf,
  tooLong,
  writtenOf,
  type Answer,
  type Op,
  type Told,
  type Written,
} from './append-call.ts'
import { isOutOfResources, isOvertaken, mayBeWritten, why } from './broken.ts'
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

  const take = (): readonly Waiting[] => {
    const { batch, rest } = forOneCall(queue)
    queue = rest
    return batch.sort((a, b) => byConversation(a.op, b.op))
  }
  const run = async (): Promise<void> => {
    // What is given in the same breath goes together.
    await Promise.resolve()
    const line = openLine(settings, writers)
    let tell = (): void => {}
    while (queue.length > 0) {
      const batch = take()
      const calling = line.call(batch)
      // Whoever is answered has much to do then, and the server need not wait for that: the next call is on its way.
      tell()
      const answered = await answersTo(line, batch, await calling)
      tell = () => answered.forEach((each) => tellOne(each, written))
    }
    line.close()
    running = undefined
    tell()
  }
  return {
    give: (waiting) => {
      queue.push(waiting)
      running ??= run()
    },
    drain: async () => running,
  }
}

/** As many as a call takes. The function knows each conversation as it was, so a second append to one is for the next. */
function forOneCall(queue: readonly Waiting[]): { readonly batch: Waiting[]; readonly rest: Waiting[] } {
  const batch: Waiting[] = []
  const rest: Waiting[] = []
  const conversations = new Set<string>()
  let chars = 0
  for (const waiting of queue) {
    const { tenant, id, events, base } = waiting.op
    // No name that is stored has this character.
    const conversation = `${tenant}\0${id}`
    const again = conversations.has(conversation)
    if (!again) chars += events.length + (base?.length ?? 0)
    // Once it is full it stays so: whoever is left behind must not be overtaken.
    const full = batch.length > 0 && (batch.length >= MOST_OPS || chars > MOST_CHARS)
    if (full || again) rest.push(waiting)
    else {
      conversations.add(conversation)
      batch.push(waiting)
    }
  }
  return { batch, rest }
}

interface Answered {
  readonly waiting: Waiting
  readonly told: Answer | Extract<Appended, { readonly result: 'failed' | 'unknown' }>
}

/** Never throws: whatever happens, there is an answer to each append of the batch. */
async function answersTo(line: Line, batch: readonly Waiting[], outcome: Outcome): Promise<readonly Answered[]> {
  if ('answers' in outcome) return outcome.answers.map((told) => ({ waiting: batch[told.nth - 1]!, told }))
  const { result, error } = outcome
  // Somebody was at one of the conversations between the look of the call and its write, and it was rolled back.
  if (result === 'failed' && isOvertaken(error)) return answersTo(line, batch, await line.call(batch))
  if (result === 'failed' && batch.length > 1 && !isOutOfResources(error) && outcome.sent) {
    // One of them broke the call for all, which was rolled back. Which one, each on its own will tell.
    const answered: Answered[] = []
    for (const waiting of batch) answered.push(...(await answersTo(line, [waiting], await line.call([waiting]))))
    return answered
  }
  return batch.map((waiting) => ({ waiting, told: { result, why: why(error) } }))
}

function tellOne({ waiting: { op, answer }, told }: Answered, written: (what: Written) => void): void {
  if (told.result === 'failed' || told.result === 'unknown') return answer(told)
  const done = writtenOf(op, told)
  if (done) written(done)
  answer(appendedOf(op, told))
}

type Outcome =
  | { readonly answers: readonly Answer[] }
  | { readonly result: 'failed' | 'unknown'; readonly error: unknown; readonly sent: boolean }

interface Line {
  call(batch: readonly Waiting[]): Promise<Outcome>
  close(): void
}

/** A connection for as long as there is something to send. One that broke is replaced. */
function openLine(settings: Settings, writers: Pool): Line {
  let client: PoolClient | undefined
  return {
    call: async (batch) => {
      let query
      try {
        query = callOf(
          settings.schema,
          settings.clockOffset(),
          batch.map(({ op }) => op),
        )
        client ??= await writers.connect()
      } catch (error) {
        return { result: 'failed', error, sent: false }
      }
      try {
        const { rows } = await client.query<Told>(query)
        return { answers: rows.flatMap(answersIn) }
      } catch (error) {
        const unknown = mayBeWritten(error)
        client.release(unknown)
        client = undefined
        return { result: unknown ? 'unknown' : 'failed', error, sent: true }
      }
    },
    close: () => client?.release(),
  }
}

function hash({ tenant, id }: Address): number {
  let sum = 0
  for (const text of [tenant, id]) {
    for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) | 0
  }
  // A remainder of whole numbers; beyond 31 bits it would be one of floating point.
  return sum & 0x7fff_ffff
}
