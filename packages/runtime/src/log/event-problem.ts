import { describeValue, isObject } from '@holdpoint/core/internal/json'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { EVENTS, isSeq, isTime } from './event-shape.ts'

/** What is wrong with the shape of an event from outside; undefined for a proper one. */
export function eventProblem(event: unknown): string | undefined {
  if (!isObject(event)) return 'is not an object'
  const { type } = event
  if (typeof type !== 'string' || !Object.hasOwn(EVENTS, type)) return `has the unknown type ${describeValue(type)}`
  if (!isSeq(event['seq']) || !isTime(event['at'])) return 'has no seq or time'
  const wrong = Object.entries(EVENTS[type as EventBody['type']]).find(([key, check]) => !check(event[key]))
  return wrong && `(${type}) has no proper "${wrong[0]}"`
}
