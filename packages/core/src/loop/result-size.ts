/**
 * Everything a call comes to is kept in the log, sent to the model and shown on pages. What is too large for that is
 * replaced by an error that says so, before any of it is written.
 */
import { jsonBytes, type Json } from '../json.ts'
import { failed, type CallOutcome, type FailedOutcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { Agent } from './agent.ts'

/** What applies where neither the tool nor the agent says anything. */
export const MAX_RESULT_BYTES = 1_048_576
const LONGEST_MESSAGE = 2000

type Limited = Pick<Agent, 'maxResultBytes'>

export function withinSize(outcome: CallOutcome, tool: Tool | undefined, agent: Limited): CallOutcome {
  if (outcome.ok) return tooLarge('The result', outcome.value, tool, agent) ?? outcome
  const { code, message, details } = outcome.error
  const long = message.length > LONGEST_MESSAGE
  const large = details !== undefined && tooLarge('What it says', details, tool, agent)
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
    `${what} is ${inWords(bytes)}, and ${inWords(limit)} is the most that is kept. Return less: a part, a summary, or where to find it.`,
  )
}

function inWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1_048_576 ? `${Math.round(bytes / 102.4) / 10} KB` : `${Math.round(bytes / 104_857.6) / 10} MB`
}
