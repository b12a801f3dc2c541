/**
 * Random logs for views: the walk of the turn machine, dressed in what screens have to cope with (replies of every kind
 * of part, hostile names and texts), and random frames to go between its events, most of them out of place.
 */
import fc from 'fast-check'
import type { Frame, Inbound, Json, LogEvent, ReplyPart } from '@holdpoint/core'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { userMessage } from '@holdpoint/core/internal/log/message'
import { Walk } from './walk.ts'

const HOSTILE = ['__proto__', 'constructor', 'toString', '', '\u0000', '\ud800', '</script>', '\u202Eabc', '👩‍👩‍👧', '0']
const word = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 8 }))

/** A log, and the words it was dressed with. */
export interface RandomLog {
  readonly log: readonly LogEvent[]
  readonly words: readonly string[]
}

interface Choices {
  readonly numbers: readonly number[]
  readonly words: readonly string[]
}

export const choices: fc.Arbitrary<Choices> = fc.record({
  numbers: fc.array(fc.nat({ max: 1000 }), { minLength: 100, maxLength: 400, size: 'max' }),
  words: fc.array(word, { minLength: 3, maxLength: 6 }),
})

export async function randomLog({ numbers, words }: Choices): Promise<RandomLog> {
  const walk = new Walk(numbers, { lives: false })
  while (!walk.over) await walk.step()
  const dressed = walk.log.map((event) => dress(event, words))
  // As it comes from a store or over the wire.
  return { log: JSON.parse(JSON.stringify(dressed)) as LogEvent[], words }
}

function dress(event: LogEvent, words: readonly string[]): LogEvent {
  const of = (index: number): string => words[index % words.length] ?? ''
  const id = (given: string): string => `${given} ${of(0)}`
  const said = (item: Inbound): Inbound =>
    item.kind === 'answer'
      ? item
      : { kind: 'message', message: userMessage(of(event.seq), event.seq % 3 > 0 ? of(event.seq + 1) : undefined) }
  const body: EventBody & { seq: number; at: number } = { ...event, at: event.at + event.seq }
  if ('turnId' in body) Object.assign(body, { turnId: id(body.turnId) })
  if ('callId' in body) Object.assign(body, { callId: id(body.callId) })
  if (body.type === 'turn.started') return { ...body, items: body.items.map((item) => named(said(item), id)) }
  if (body.type === 'message.queued') return { ...body, item: named(said(body.item), id) }
  if (body.type === 'call.held') {
    const mark: Json = { [of(event.seq)]: of(event.seq + 2) }
    return { ...body, hold: { ...body.hold, reason: of(event.seq), metadata: mark, input: { held: mark } } }
  }
  if (body.type !== 'model.replied') return body
  const calls = body.reply.parts.flatMap((part): ReplyPart[] =>
    part.type === 'call'
      ? [
          { type: 'text', text: of(event.seq + 1) },
          { ...part, callId: id(part.callId), name: of(event.seq), input: { [of(1)]: of(2) } },
        ]
      : [part],
  )
  return { ...body, reply: { ...body.reply, parts: [...others(of(event.seq), of(event.seq + 1)), ...calls] } }
}

/** An answer of an earlier turn keeps its call's new name. Those that were queued were dressed before. */
function named(item: Inbound, id: (given: string) => string): Inbound {
  return item.kind === 'answer' && !item.callId.includes(' ') ? { ...item, callId: id(item.callId) } : item
}

function others(a: string, b: string): readonly ReplyPart[] {
  return [
    { type: 'reasoning', text: a, data: { vendor: { [a]: b } } },
    { type: 'provider-call', id: a, name: b, input: { [b]: a } },
    { type: 'provider-result', id: a, name: b, result: [a, b], isError: false },
    { type: 'file', mediaType: 'text/plain', file: { kind: 'url', url: b } },
    { type: 'source', source: { [a]: b } },
    { type: 'source', source: { sourceType: 'url', id: a, url: 'https://source.test/', title: b } },
    { type: 'source', source: { sourceType: 'document', id: b, mediaType: 'text/plain', title: a } },
    { type: 'custom', kind: a },
    { type: 'text', text: b },
  ]
}

/** The log's events with frames between them: in place, too late, too early, and about nothing that exists. */
export function withFrames({ log, words }: RandomLog, numbers: readonly number[]): readonly (LogEvent | Frame)[] {
  let at = 0
  const pick = <T>(options: readonly T[]): T => options[(numbers[at++ % numbers.length] ?? 0) % options.length] as T
  const turnIds = ['unknown']
  const callIds = ['unknown']
  let step = 1
  return log.flatMap((event) => {
    if (event.type === 'turn.started') {
      turnIds.push(event.turnId)
      step = 1
    }
    if (event.type === 'model.replied') {
      for (const part of event.reply.parts) if (part.type === 'call') callIds.push(part.callId)
      step = event.step + 1
    }
    const frames = Array.from({ length: pick([0, 1, 2, 5]) }, () => {
      const newest = turnIds.at(-1) ?? ''
      const turnId = pick([newest, newest, newest, newest, ...turnIds])
      const callId = pick([...callIds.slice(-3), ...callIds.slice(-3), ...callIds])
      const place = { turnId, step: pick([step, step, step, step - 1, step + 1, 1]) }
      return frame(pick, place, callId, words, at)
    })
    return [event, ...frames]
  })
}

function frame(
  pick: <T>(options: readonly T[]) => T,
  place: { readonly turnId: string; readonly step: number },
  callId: string,
  words: readonly string[],
  nth: number,
): Frame {
  const [id, delta, name] = [pick(words), pick(words), pick(words)]
  const attempt = pick([1, 2, 3])
  return pick<Frame>([
    { type: 'reply-start', ...place, attempt },
    { type: 'reply-text', ...place, id, delta },
    { type: 'reply-text', ...place, id, delta },
    { type: 'reply-reasoning', ...place, id, delta },
    { type: 'call-input', ...place, id, callId, name, delta },
    { type: 'reply-call', ...place, id, callId, name, input: { [id]: delta } },
    { type: 'model-retry', ...place, attempt, delayMs: 5, message: delta },
    { type: 'call-progress', callId, value: { [id]: delta, nth } },
    { type: 'call-progress', callId, value: nth },
  ])
}
