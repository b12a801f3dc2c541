/**
 * Sends appends to the server. A lane is a queue with few calls in flight. Appends that arrive meanwhile go into the next
 * call, so under load more appends share a round trip and a commit. A conversation always uses the same lane and is in one
 * call at a time, so its appends run in order. With several lanes, one commit can wait for the disk while the next call is
 * prepared.
 *
 * Callers that are answered together have their next appends ready together, and the server would be idle until then. So
 * the answers of a large call are delivered in two halves: the appends that follow from the first half are sent while the
 * second half is delivered. From then on the halves alternate: a second call may be sent before the first is answered, and
 * the server continues with it without waiting for us.
 */
import type { Address, Append, Appended } from '@holdpoint/core'
import { setImmediate } from 'node:timers'
import { appendedOf, byConversation, opOf, tooLong, writtenOf, type Written } from './append-call.ts'
import { callWith, openLaneConnection, type Answered, type Waiting } from './lane-connection.ts'
import type { Connections } from './connections.ts'
import { pgErrorMessage } from './pg-error.ts'
import type { Settings } from './settings.ts'

export interface AppendLanes {
  append(write: Append): Promise<Appended>
  /** Resolves when all appends so far are answered. */
  drain(): Promise<void>
}

/** The limits of a call, so that later ones do not wait long. */
const MAX_OPS = 200
const MAX_CHARS = 4_000_000
/** One that the server executes, and one that is ready when it is done. */
const MAX_IN_FLIGHT = 2
const MIN_HALF = 8

export function openAppendLanes(
  settings: Settings,
  connections: Connections,
  written: (what: Written) => void,
): AppendLanes {
  const lanes = Array.from({ length: settings.lanes }, () => openLane(settings, connections, written))
  return {
    append: (write) => {
      const op = opOf(write)
      const refused = tooLong(op)
      if (refused !== undefined) return Promise.resolve({ result: 'failed', why: refused })
      const lane = lanes[hash(write.to) % lanes.length]!
      // Stored names never contain this character.
      const conversation = `${op.tenant}\0${op.id}`
      return new Promise((answer) => lane.add({ conversation, op, answer }))
    },
    drain: async () => {
      await Promise.all(lanes.map((lane) => lane.drain()))
    },
  }
}

interface Lane {
  add(waiting: Waiting): void
  drain(): Promise<void>
}

function openLane(settings: Settings, connections: Connections, written: (what: Written) => void): Lane {
  const connection = openLaneConnection(settings, connections)
  let queue: Waiting[] = []
  let sending = false
  let inFlight = 0
  /** The conversations of calls in flight. */
  const busyConversations = new Set<string>()
  /** Calls in flight, or whose answers are being delivered. */
  let openCalls = 0
  let drained: PromiseWithResolvers<void> | undefined

  const send = (): void => {
    sending = false
    while (inFlight < MAX_IN_FLIGHT) {
      const { batch, rest } = forOneCall(queue, busyConversations)
      if (batch.length === 0) return
      queue = rest
      void run(batch.sort((a, b) => byConversation(a.op, b.op)))
    }
  }
  /** Runs a call until all its answers are delivered. */
  const run = async (batch: readonly Waiting[]): Promise<void> => {
    openCalls++
    inFlight++
    for (const { conversation } of batch) busyConversations.add(conversation)
    const answered = await callWith(connection, batch)
    inFlight--
    for (const { conversation } of batch) busyConversations.delete(conversation)
    // Sent before the answers are delivered, so that the server does not wait for the work of their callers.
    send()
    for (const part of partsOf(answered)) {
      for (const each of part) deliver(each, written)
      await nextTurn()
    }
    openCalls--
    if (openCalls > 0 || queue.length > 0) return
    connection.close()
    drained?.resolve()
    drained = undefined
  }
  return {
    add: (waiting) => {
      drained ??= Promise.withResolvers()
      queue.push(waiting)
      // Sent at the end of the tick, after its promises, so that appends of one tick share a call.
      if (!sending) process.nextTick(send)
      sending = true
    },
    drain: async () => drained?.promise,
  }
}

/** Resolves after all work that can run now. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Small halves are not worth the cost of another call. */
function partsOf(answered: readonly Answered[]): readonly (readonly Answered[])[] {
  if (answered.length < 2 * MIN_HALF) return [answered]
  const half = Math.ceil(answered.length / 2)
  return [answered.slice(0, half), answered.slice(half)]
}

/**
 * Takes the appends of the next call. A call contains each conversation once. A second append to a conversation is sent
 * only after the first is answered, because the first may have to be retried.
 */
function forOneCall(
  queue: readonly Waiting[],
  busyConversations: ReadonlySet<string>,
): { readonly batch: Waiting[]; readonly rest: Waiting[] } {
  const batch: Waiting[] = []
  const rest: Waiting[] = []
  const conversations = new Set(busyConversations)
  let chars = 0
  for (const waiting of queue) {
    const { conversation, op } = waiting
    const { events, base } = op
    const isRepeated = conversations.has(conversation)
    if (!isRepeated) chars += events.length + (base?.length ?? 0)
    // A full call stays full: a later append must not overtake one that was left out.
    const full = batch.length > 0 && (batch.length >= MAX_OPS || chars > MAX_CHARS)
    if (full || isRepeated) rest.push(waiting)
    else {
      conversations.add(conversation)
      batch.push(waiting)
    }
  }
  return { batch, rest }
}

/** Never throws: an answer that cannot be decoded fails only its own append. */
function deliver({ waiting: { op, answer }, result }: Answered, written: (what: Written) => void): void {
  if (result.result === 'failed' || result.result === 'unknown') return answer(result)
  try {
    const done = writtenOf(op, result)
    if (done) written(done)
    answer(appendedOf(op, result))
  } catch (error) {
    // The append was stored earlier, and its stored events cannot be decoded.
    answer({ result: 'unknown', why: pgErrorMessage(error) })
  }
}

function hash({ tenant, id }: Address): number {
  let sum = 0
  for (const text of [tenant, id]) {
    for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) | 0
  }
  // 31 bits, so that the remainder is computed with integers.
  return sum & 0x7fff_ffff
}
