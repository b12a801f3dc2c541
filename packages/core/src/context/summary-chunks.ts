/**
 * Cuts the text of a conversation into chunks, which a model summarizes one after the other. A chunk ends where a passage ends,
 * so that its summary can be stored. A passage that is too long for one chunk takes several.
 */
import type { LogEvent } from '../log/log-event.ts'
import type { Agent } from '../agent/agent.ts'
import type { SummaryLog } from './prompt-log.ts'
import type { PromptMessage } from '../prompt/prompt.ts'
import { renderPassage } from '../prompt/render.ts'
import { Transcript, type Passage } from '../prompt/transcript.ts'
import type { TokenCounter } from './context-options.ts'

export interface Chunk {
  readonly text: string
  /** The last seq that this chunk and those before it cover. Undefined if the chunk ends within a passage. */
  readonly upTo: number | undefined
}

/** The events after `after`, up to `upTo`, in chunks of at most `most` tokens. */
export async function* chunksOf(
  log: SummaryLog,
  after: number,
  upTo: number,
  agent: Agent,
  most: number,
): AsyncIterable<Chunk> {
  const { count } = agent.context
  let text = ''
  let through = after
  for await (const { passage, to } of passagesOf(log, after, upTo)) {
    const entries = entriesOf(passage, agent).map((entry) => cutTo(entry, most, count))
    const pieces = pack(entries, most, count)
    if (text !== '' && (pieces.length > 1 || count(text) + count(pieces[0] ?? '') > most)) {
      yield { text, upTo: through }
      text = ''
    }
    through = to
    if (pieces.length < 2) text += pieces[0] ?? ''
    else
      for (const [nth, piece] of pieces.entries()) yield { text: piece, upTo: nth < pieces.length - 1 ? undefined : to }
  }
  if (text !== '') yield { text, upTo: through }
}

interface PassageUpTo {
  readonly passage: Passage
  /** The seq of its last event. */
  readonly to: number
}

const PAGE = 200

async function* passagesOf(log: SummaryLog, after: number, upTo: number): AsyncIterable<PassageUpTo> {
  let events: LogEvent[] = []
  for (let seq = after; seq < upTo;) {
    const page = (await log.page(seq, PAGE)).filter((event) => event.seq <= upTo)
    if (page.length === 0) break
    seq = page.at(-1)!.seq
    events.push(...page)
    const { passages } = Transcript.of(events)
    const last = seq < upTo ? passages.at(-1) : undefined
    for (const [index, passage] of passages.entries())
      if (passage !== last) yield { passage, to: (passages[index + 1]?.from ?? upTo + 1) - 1 }
    events = last ? events.filter((event) => event.seq >= last.from) : []
  }
}

/** Joins as many entries as fit into each piece, in order. */
function pack(entries: readonly string[], most: number, count: TokenCounter): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  for (const entry of entries) {
    if (piece !== '' && count(piece) + count(entry) > most) {
      pieces.push(`${piece}\n`)
      piece = ''
    }
    piece += `${entry}\n`
  }
  return piece === '' ? pieces : [...pieces, `${piece}\n`]
}

const LONGEST_JSON = 2000
const LEAST = 16

/** Cuts a text that is too long: keeps its beginning and its end. */
export function cutTo(text: string, most: number, count: (text: string) => number): string {
  const tokens = count(text)
  if (tokens <= most) return text
  for (let kept = Math.floor((text.length * most) / tokens); kept > LEAST; kept = Math.floor(kept * 0.8)) {
    const end = Math.floor(kept / 4)
    const cut = `${text.slice(0, kept - end)}\n[${text.length - kept} characters left out]\n${text.slice(text.length - end)}`
    if (count(cut) <= most) return cut
  }
  return text.slice(0, LEAST)
}

function entriesOf(passage: Passage, agent: Agent): readonly string[] {
  return renderPassage(passage, { encode: agent.encodeOutcome }).messages.flatMap(entriesIn)
}

function entriesIn(message: PromptMessage): readonly string[] {
  switch (message.role) {
    case 'system':
      return [message.text]
    case 'user':
      return message.parts.map((part) => (part.type === 'text' ? `User: ${part.text}` : `User: [${part.mediaType}]`))
    case 'assistant':
      return message.parts.flatMap((part) => {
        if (part.type === 'text') return part.text === '' ? [] : [`Assistant: ${part.text}`]
        return part.type === 'call' ? [`Assistant called ${part.name}: ${shortJson(part.input)}`] : []
      })
    case 'tool':
      return message.results.map(({ name, content }) => `Result of ${name}: ${shortJson(content)}`)
  }
}

function shortJson(value: unknown): string {
  return JSON.stringify(value).slice(0, LONGEST_JSON)
}
