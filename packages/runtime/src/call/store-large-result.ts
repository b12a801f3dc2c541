/**
 * A result over the limit goes into a file of the conversation, before the event that names it. The log, the model and pages get a
 * preview. Where no files are kept, the result is replaced by an error.
 */
import { jsonBytes, type Json } from '@holdpoint/core/internal/json'
import { toUtf8 } from '@holdpoint/core/internal/utf8'
import type { CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { TurnContext } from '../conversation/turn-context.ts'
import { inWords, limitResultSize } from './result-size.ts'

type Context = Pick<TurnContext, 'agent'> & Partial<Pick<TurnContext, 'files'>>

/** A larger result is an error, as every result over the limit is without files. */
const MOST = 100_000_000
const HEAD = 6000
const TAIL = 2000

export function storeLargeResult(
  outcome: CallOutcome,
  tool: Tool | undefined,
  { agent, files }: Context,
): CallOutcome | Promise<CallOutcome> {
  const limited = limitResultSize(outcome, tool, agent)
  if (limited === outcome || !outcome.ok || !files?.kept || jsonBytes(outcome.value) > MOST) return limited
  return stored(outcome.value, tool?.maxResultBytes ?? agent.maxResultBytes, files).catch(() => limited)
}

async function stored(value: Json, limit: number, files: NonNullable<Context['files']>): Promise<CallOutcome> {
  const plain = typeof value === 'string'
  const text = plain ? value : JSON.stringify(value)
  const mediaType = plain ? 'text/plain' : 'application/json'
  const { id, bytes, sha256 } = await files.keep(toUtf8(text), {
    mediaType,
    name: plain ? 'result.txt' : 'result.json',
  })
  return { ok: true, value: preview(text, bytes, limit), file: { id, mediaType, bytes, sha256 } }
}

function preview(text: string, bytes: number, limit: number): Json {
  const head = text.slice(0, Math.min(HEAD, Math.floor(limit * 0.6))).toWellFormed()
  const tail = text.slice(text.length - Math.min(TAIL, Math.floor(limit * 0.2))).toWellFormed()
  const left = text.length - head.length - tail.length
  return {
    shortened: `This result has ${inWords(bytes)}, which is too much to read. It was stored, and this is its beginning and its end. ${left} characters between them are left out.`,
    head,
    tail,
  }
}
