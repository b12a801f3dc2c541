/** A session as plain data, and the checks with which saved data of any origin becomes a session again. */
import type { Summary } from '@holdpoint/core/internal/context/summary'
import { HoldpointError, messageOf } from '@holdpoint/core/internal/failure'
import { isObject, describeValue, toJson } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { fold } from '@holdpoint/core/internal/turn/turn'
import { eventProblem } from '../log/event-problem.ts'
import { isSeq } from '../log/event-shape.ts'

export interface SessionData {
  readonly version: 1
  readonly id: string
  readonly events: readonly LogEvent[]
  /** The newest summary of its oldest turns. The log itself does not have it. */
  readonly summary?: Summary
}

/** Checks the shape of each event, and that the events can have happened in this order. */
export function readSession(data: unknown): SessionData {
  if (!isObject(data)) throw invalid('it is not an object')
  const { version, id, events, summary } = data as Readonly<Record<string, unknown>>
  if (version !== 1) throw invalid(`its version is ${describeValue(version)}, and this code reads version 1`)
  if (typeof id !== 'string' || id === '') throw invalid('it has no id')
  if (!Array.isArray(events)) throw invalid('it has no list of events')
  const json = toJson(events)
  if (!json.ok) throw invalid(`it cannot be written as JSON: ${json.why}`)
  for (const [index, event] of events.entries()) checkEvent(event, index)
  try {
    fold(events as LogEvent[])
  } catch (error) {
    throw invalid(messageOf(error), error)
  }
  if (summary !== undefined && !isSummary(summary, events.length)) throw invalid('it has a summary that is none')
  return { version: 1, id, events: events as LogEvent[], ...(summary !== undefined && { summary }) }
}

function isSummary(given: unknown, last: number): given is Summary {
  if (!isObject(given)) return false
  const { upTo, text } = given
  return isSeq(upTo) && Number(upTo) <= last && typeof text === 'string'
}

function checkEvent(event: unknown, index: number): void {
  const problem = eventProblem(event)
  if (problem !== undefined) throw invalid(`event ${index + 1} ${problem}`)
}

function invalid(why: string, cause?: unknown): HoldpointError {
  return new HoldpointError(
    'session-invalid',
    `This is not a saved session: ${why}. Use the unchanged result of JSON.stringify(session).`,
    { cause },
  )
}
