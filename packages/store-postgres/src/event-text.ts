/**
 * The stored form of an append's events: JSON, with frequent parts abbreviated. JSON contains no control characters (it
 * escapes them), so each control character can stand for something else:
 *
 * - a phrase that our events contain often,
 * - a hash, which is half as long in base64url,
 * - a text that occurred before in the same row: an id, or the input of a held call.
 *
 * A row without control characters is plain JSON. Never change or remove a phrase, or stored rows become unreadable. New
 * phrases go to the end.
 */
import { decodeBatch, type Batch, type LogEvent } from '@holdpoint/core'

const PHRASES: readonly string[] = [
  // One character each.
  '.',
  '[{"type":"model.replied","turnId":"',
  '","step":',
  ',"reply":{"parts":[{"type":"text","text":"',
  ',"reply":{"parts":[{"type":"call","callId":"',
  '},{"type":"call","callId":"',
  '","vendorId":"',
  '","name":"',
  '","input":',
  '}],"finish":"calls","usage":{"inputTokens":',
  '"}],"finish":"stop","usage":{"inputTokens":',
  ',"outputTokens":',
  '},{"type":"call.held","callId":"',
  '","hold":{"kind":"approval","cause":"tool","accepts":["approve","reject"],"input":',
  ',"inputHash":',
  ',"fingerprint":',
  ',"approvers":1,"timeoutMs":',
  ',"expiresAt":',
  ',"onExpire":"error","late":"reject"}}',
  '[{"type":"call.started","callId":"',
  '","attempt":1}',
  '[{"type":"call.settled","callId":"',
  '","outcome":{"ok":true,"value":',
  '[{"type":"call.approved","callId":"',
  '","resolution":{"kind":"approve"}',
  '[{"type":"turn.started","turnId":"',
  // Two characters each.
  '","agent":"',
  '","limits":{"maxSteps":',
  '},"items":[{"kind":"message","message":{"parts":[{"type":"text","text":"',
  '"}]}}]}',
  '},{"type":"call.started","callId":"',
  '},{"type":"call.settled","callId":"',
  '[{"type":"call.held","callId":"',
  '[{"type":"call.cleared","callId":"',
  '},{"type":"call.cleared","callId":"',
  '[{"type":"turn.ended","turnId":"',
  '},{"type":"turn.ended","turnId":"',
  '","reason":"completed"',
  '{"type":"text","text":"',
  '{"type":"reasoning","text":"',
  '"finish":"calls","usage":{"inputTokens":',
  '"finish":"stop","usage":{"inputTokens":',
  '","outcome":{"ok":false,"error":{"code":"',
  '","hold":{"kind":"elicitation",',
  '","hold":{"kind":"external",',
  '","hold":{"kind":"client",',
  '"cause":"asked",',
  '"accepts":["answer"],"input":',
  '"accepts":["approve","reject"],"input":',
  '","resolution":{"kind":"answer","value":',
  '"resolution":{"kind":"reject"',
  '","by":"',
  '[{"type":"state.changed","plugin":"',
  '},{"type":"state.changed","plugin":"',
  '","value":',
  ',"metadata":',
]

/** In characters. A longer text is mostly prose, and the server compresses it. */
const MAX_LENGTH = 20_000
/** A shorter text is not worth abbreviating. */
const MIN_REPEATED = 6

const ONE_CHARACTER = 26
const [FURTHER, HASH, REPEATED] = ['\u001c', '\u001d', '\u001e']
const FIRST_OF_TWO = 0x20
const MAX_OF_TWO = 0x5f

const codeOf = new Map(
  PHRASES.map((phrase, nth) => [phrase, nth < ONE_CHARACTER ? char(nth + 1) : FURTHER + counted(nth - ONE_CHARACTER)]),
)
const phraseOf = new Map(Array.from(codeOf, ([phrase, code]) => [code, phrase]))

/** The dot is that of our call ids, which start with the id of their turn. A hash includes its quotes. */
const TO_SHORTEN = new RegExp(
  `("[0-9a-f]{64}"|${PHRASES.toSorted((a, b) => b.length - a.length)
    .map((phrase) => (phrase === '.' ? '\\.(?=\\d{1,3}\\.\\d{1,3}")' : phrase.replace(/[[\]{}().]/g, '\\$&')))
    .join('|')})`,
)
const SHORTENED = new RegExp(`([\\x01-\\x1b]|${HASH}.{43}|[${FURTHER}${REPEATED}].)`)

/** A batch as it is stored. */
export type StoredBatch = Pick<Batch, 'seq' | 'at' | 'events'>

/** Decodes the events of a row. */
export function readBatch({ seq, at, events }: StoredBatch): LogEvent[] {
  return decodeBatch({ seq, at, events: fromEventText(events) })
}

export function toEventText(json: string): string {
  if (json.length > MAX_LENGTH) return json
  const seen = new Map<string, string>()
  let text = ''
  for (const [index, piece] of json.split(TO_SHORTEN).entries()) {
    if (index % 2 === 1)
      text += codeOf.get(piece) ?? HASH + Buffer.from(piece.slice(1, -1), 'hex').toString('base64url')
    else if (piece.length < MIN_REPEATED) text += piece
    else {
      const before = seen.get(piece)
      if (before === undefined && seen.size < MAX_OF_TWO) seen.set(piece, REPEATED + counted(seen.size))
      text += before ?? piece
    }
  }
  return text
}

/** The JSON that was stored. */
export function fromEventText(text: string): string {
  const pieces = text.split(SHORTENED)
  if (pieces.length === 1) return text
  const seen: string[] = []
  let json = ''
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) json += expand(piece, seen)
    else {
      if (piece.length >= MIN_REPEATED) seen.push(piece)
      json += piece
    }
  }
  return json
}

/** An unknown code is left unchanged, so that parsing the JSON fails with an error. */
function expand(code: string, seen: readonly string[]): string {
  if (code.startsWith(HASH)) return `"${Buffer.from(code.slice(1), 'base64url').toString('hex')}"`
  if (code.startsWith(REPEATED)) return seen[code.charCodeAt(1) - FIRST_OF_TWO] ?? code
  return phraseOf.get(code) ?? code
}

function counted(nth: number): string {
  return char(FIRST_OF_TWO + nth)
}

function char(code: number): string {
  return String.fromCharCode(code)
}
