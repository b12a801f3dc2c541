/**
 * Appends on their way to the server. A lane is a line of them with few calls in flight: whatever arrives meanwhile goes
 * with the next one, so the busier it is, the more share one round trip and one commit. A conversation always takes the
 * same lane, and is in one call at a time, so its appends are made in the order they were given. Several lanes let one
 * commit wait for the disk while the next is prepared.
 *
 * Those who are answered together have their next appends ready together, and the server would have nothing to do until
 * then. So where they are many, half of them are told first, and what these give is on its way while the other half is at
 * it. From then on the two halves take turns: a second call may be sent before the first is answered, and the server goes
 * from one to the other without waiting for us.
 */
import type { Address, Append, Appended } from '@holdpoint/core'
import { setImmediate } from 'node:timers'
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
import { isConnectionError, isOutOfResources, isOvertaken, mayBeWritten, why } from './broken.ts'
import type { Settings } from './options.ts'

export interface Lanes {
  append(write: Append): Promise<Appended>
  /** Everything that was given has its answer. */
  drain(): Promise<void>
}

interface Waiting {
  /** Which one it is for. */
  readonly conversation: string
  readonly op: Op
  readonly answer: (appended: Appended) => void
}

/** A call is kept short enough that those behind it do not wait long. */
const MOST_OPS = 200
const MOST_CHARS = 4_000_000
/** One that the server is at, and one that it finds when it is done. */
const MOST_IN_FLIGHT = 2
const LEAST_HALF = 8

export function openLanes(settings: Settings, writers: Pool, written: (what: Written) => void): Lanes {
  const lanes = Array.from({ length: settings.lanes }, () => openLane(settings, writers, written))
  return {
    append: (write) => {
      const op = opOf(write)
      const refused = tooLong(op)
      if (refused !== undefined) return Promise.resolve({ result: 'failed', why: refused })
      const lane = lanes[hash(write.to) % lanes.length]!
      // No name that is stored has this character.
      const conversation = `${op.tenant}\0${op.id}`
      return new Promise((answer) => lane.give({ conversation, op, answer }))
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
  const line = openLine(settings, writers)
  let queue: Waiting[] = []
  let sending = false
  let inFlight = 0
  /** Conversations that are in a call. */
  const away = new Set<string>()
  /** Calls that are in flight, or whose answers are being told. */
  let underWay = 0
  let busy: PromiseWithResolvers<void> | undefined

  const send = (): void => {
    sending = false
    while (inFlight < MOST_IN_FLIGHT) {
      const { batch, rest } = forOneCall(queue, away)
      if (batch.length === 0) return
      queue = rest
      void see(batch.sort((a, b) => byConversation(a.op, b.op)))
    }
  }
  /** Sees a call through until everybody in it is told. */
  const see = async (batch: readonly Waiting[]): Promise<void> => {
    underWay++
    inFlight++
    for (const { conversation } of batch) away.add(conversation)
    const answered = await callWith(line, batch)
    inFlight--
    for (const { conversation } of batch) away.delete(conversation)
    // Whoever is answered has much to do then, and the server need not wait for that: the next call is on its way.
    send()
    for (const part of partsOf(answered)) {
      for (const each of part) tellOne(each, written)
      await nextTurn()
    }
    underWay--
    if (underWay > 0 || queue.length > 0) return
    line.close()
    busy?.resolve()
    busy = undefined
  }
  return {
    give: (waiting) => {
      busy ??= Promise.withResolvers()
      queue.push(waiting)
      // After all that is to run in this tick, promises included: what is given in the same breath goes together.
      if (!sending) process.nextTick(send)
      sending = true
    },
    drain: async () => busy?.promise,
  }
}

/** When all that can go on at once has done so. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Where the halves would be small, what another call costs is more than what is gained. */
function partsOf(answered: readonly Answered[]): readonly (readonly Answered[])[] {
  if (answered.length < 2 * LEAST_HALF) return [answered]
  const half = Math.ceil(answered.length / 2)
  return [answered.slice(0, half), answered.slice(half)]
}

/**
 * As many as a call takes. The function knows each conversation as it was, so a second append to one is for a later call,
 * and for one that is sent when the first is answered: it may have to be given again.
 */
function forOneCall(
  queue: readonly Waiting[],
  away: ReadonlySet<string>,
): { readonly batch: Waiting[]; readonly rest: Waiting[] } {
  const batch: Waiting[] = []
  const rest: Waiting[] = []
  const conversations = new Set(away)
  let chars = 0
  for (const waiting of queue) {
    const { conversation, op } = waiting
    const { events, base } = op
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

async function callWith(line: Line, batch: readonly Waiting[]): Promise<readonly Answered[]> {
  return answersTo(line, batch, await line.call(batch))
}

/** Never throws: whatever happens, there is an answer to each append of the batch. */
async function answersTo(line: Line, batch: readonly Waiting[], outcome: Outcome): Promise<readonly Answered[]> {
  if ('answers' in outcome) return outcome.answers.map((told) => ({ waiting: batch[told.nth - 1]!, told }))
  const { result, error } = outcome
  // Somebody was at one of the conversations between the look of the call and its write, and it was rolled back.
  if (result === 'failed' && isOvertaken(error)) return callWith(line, batch)
  if (result === 'failed' && batch.length > 1 && !isOutOfResources(error) && outcome.sent) {
    // One of them broke the call for all, which was rolled back. Which one, each on its own will tell.
    const answered: Answered[] = []
    for (const waiting of batch) answered.push(...(await callWith(line, [waiting])))
    return answered
  }
  return batch.map((waiting) => ({ waiting, told: { result, why: why(error) } }))
}

/** Never throws: one that cannot be told is nobody else's trouble. */
function tellOne({ waiting: { op, answer }, told }: Answered, written: (what: Written) => void): void {
  if (told.result === 'failed' || told.result === 'unknown') return answer(told)
  try {
    const done = writtenOf(op, told)
    if (done) written(done)
    answer(appendedOf(op, told))
  } catch (error) {
    // What is there already, and was to be told again, cannot be read.
    answer({ result: 'unknown', why: why(error) })
  }
}

type Outcome =
  | { readonly answers: readonly Answer[] }
  | { readonly result: 'failed' | 'unknown'; readonly error: unknown; readonly sent: boolean }

interface Line {
  call(batch: readonly Waiting[]): Promise<Outcome>
  close(): void
}

/**
 * A connection for as long as there is something to send. One that broke is replaced. A call that is sent behind others
 * has their time and its own until a silent server counts as gone.
 */
function openLine(settings: Settings, writers: Pool): Line {
  let connecting: Promise<PoolClient> | undefined
  let sent = 0
  return {
    call: async (batch) => {
      let query
      let connection
      let client
      try {
        query = callOf(
          settings.schema,
          settings.clockOffset(),
          batch.map(({ op }) => op),
        )
        connection = connecting ??= writers.connect()
        client = await connection
      } catch (error) {
        if (connection && connecting === connection) connecting = undefined
        return { result: 'failed', error, sent: false }
      }
      sent++
      try {
        const timed = { ...query, query_timeout: settings.timeoutMs * sent }
        const { rows } = await client.query<Told>(timed)
        return { answers: rows.flatMap(answersIn) }
      } catch (error) {
        // Two calls on it may both find it broken.
        if (isConnectionError(error) && connecting === connection) {
          connecting = undefined
          client.release(true)
        }
        return { result: mayBeWritten(error) ? 'unknown' : 'failed', error, sent: true }
      } finally {
        sent--
      }
    },
    close: () => {
      void connecting?.then((client) => client.release())
      connecting = undefined
    },
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
