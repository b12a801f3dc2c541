/** A session as plain data, and the border where data of unknown origin becomes one again. */
import { HoldpointError, messageOf } from '../failure.ts'
import { isObject } from '../json.ts'
import type { EventBody, LogEvent } from '../log/log-event.ts'
import { fold } from '../turn/turn.ts'

export interface SessionData {
  readonly version: 1
  readonly id: string
  readonly events: readonly LogEvent[]
}

type Kind = 'text' | 'number' | 'list' | 'object' | 'any'
/** What each event cannot do without. The fold checks the rest: that it can have happened. */
const NEEDS: Readonly<Record<EventBody['type'], Readonly<Record<string, Kind>>>> = {
  'turn.started': { turnId: 'text', agent: 'text', items: 'list', limits: 'object' },
  'message.queued': { item: 'object' },
  'model.replied': { turnId: 'text', step: 'number', reply: 'object' },
  'call.held': { callId: 'text', hold: 'object' },
  'call.endorsed': { callId: 'text', by: 'text', inputHash: 'text' },
  'call.approved': { callId: 'text', resolution: 'object', inputHash: 'text', fingerprint: 'text' },
  'call.started': { callId: 'text', attempt: 'number' },
  'call.settled': { callId: 'text', outcome: 'object' },
  'answer.arrived': { callId: 'text', name: 'text', outcome: 'object' },
  'state.changed': { plugin: 'text', value: 'any' },
  'turn.ended': { turnId: 'text', reason: 'text' },
}

export function readSession(data: unknown): SessionData {
  if (!isObject(data)) throw invalid('it is not an object')
  const { version, id, events } = data as Readonly<Record<string, unknown>>
  if (version !== 1) throw invalid(`its version is ${JSON.stringify(version)}, and this code reads version 1`)
  if (typeof id !== 'string' || id === '') throw invalid('it has no id')
  if (!Array.isArray(events)) throw invalid('it has no list of events')
  for (const [index, event] of events.entries()) checkEvent(event, index)
  try {
    fold(events as LogEvent[])
  } catch (error) {
    throw invalid(messageOf(error), error)
  }
  return { version: 1, id, events: events as LogEvent[] }
}

function checkEvent(event: unknown, index: number): void {
  const where = `event ${index + 1}`
  if (!isObject(event)) throw invalid(`${where} is not an object`)
  const { type } = event
  if (typeof type !== 'string' || !Object.hasOwn(NEEDS, type)) throw invalid(`${where} has the unknown type ${JSON.stringify(type)}`)
  if (typeof event['seq'] !== 'number' || typeof event['at'] !== 'number') throw invalid(`${where} has no seq or time`)
  for (const [key, kind] of Object.entries(NEEDS[type as EventBody['type']])) {
    if (!isKind(event[key], kind)) throw invalid(`${where} (${type}) has no proper "${key}"`)
  }
  if (type === 'model.replied') checkReply(event['reply'], where)
}

function checkReply(reply: unknown, where: string): void {
  const parts = isObject(reply) ? reply['parts'] : undefined
  const usage = isObject(reply) ? reply['usage'] : undefined
  if (!Array.isArray(parts) || !isObject(usage)) throw invalid(`${where} has a reply without parts or usage`)
  for (const part of parts) {
    if (!isObject(part) || typeof part['type'] !== 'string') throw invalid(`${where} has a part that is none`)
    if (part['type'] === 'call' && (typeof part['callId'] !== 'string' || typeof part['name'] !== 'string')) throw invalid(`${where} has a call without an id or a name`)
  }
}

function isKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'any':
      return value !== undefined
  }
}

function invalid(why: string, cause?: unknown): HoldpointError {
  return new HoldpointError('session-invalid', `This is not a saved session: ${why}. Give back what JSON.stringify(session) wrote, unchanged.`, { cause })
}
