/**
 * The limit on the size of an outcome. An outcome is stored in the log, sent to the model and shown on pages. One that is
 * too large is replaced by an error before it is written.
 */
import { jsonBytes, type Json } from '@holdpoint/core/internal/json'
import { failed, type CallOutcome, type FailedOutcome } from '@holdpoint/core/internal/tool/outcome'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { Agent } from '@holdpoint/core/internal/agent/agent'

const LONGEST_MESSAGE = 2000

type Limited = Pick<Agent, 'maxResultBytes'>

export function limitResultSize(outcome: CallOutcome, tool: Tool | undefined, agent: Limited): CallOutcome {
  if (outcome.ok) return tooLarge('The result', outcome.value, tool, agent) ?? outcome
  const { code, message, details } = outcome.error
  const long = message.length > LONGEST_MESSAGE
  const large = details !== undefined && tooLarge('The details of the error', details, tool, agent)
  if (!long && !large) return outcome
  const cut = long ? `${message.slice(0, LONGEST_MESSAGE)}… (${message.length} characters)` : message
  return large || details === undefined ? failed(code, cut) : failed(code, cut, details)
}

export function tooLarge(what: string, value: Json, tool: Tool | undefined, agent: Limited): FailedOutcome | undefined {
  const limit = tool?.maxResultBytes ?? agent.maxResultBytes
  const bytes = jsonBytes(value)
  if (bytes <= limit) return undefined
  return failed(
    'too-large',
    `${what}: ${inWords(bytes)}. The limit is ${inWords(limit)}. Return less: a part, a summary, or where to find it.`,
  )
}

export function inWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1_048_576 ? `${Math.round(bytes / 102.4) / 10} KB` : `${Math.round(bytes / 104_857.6) / 10} MB`
}
