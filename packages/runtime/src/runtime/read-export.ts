/**
 * Reads an export line by line, and gives out each log once all of its lines were checked: that each event has its shape,
 * follows the one before it, and can have happened.
 */
import { SUMMARY } from '@holdpoint/core/internal/context/summary'
import { messageOf } from '@holdpoint/core/internal/failure'
import { describeValue, isObject } from '@holdpoint/core/internal/json'
import { EXPORT_FORMAT, EXPORT_VERSION } from '@holdpoint/core/internal/log/conversation-line'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Note } from '@holdpoint/core/internal/log/store'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import { eventProblem } from '../log/event-problem.ts'
import { isSeq, isTime } from '../log/event-shape.ts'
import { checkId } from './check-request.ts'
import { FileReader, type ReadFile } from './file-reader.ts'

export type AnyMachine = Machine<MachineState, MachineEffect>

/** A log of an export that was read to its end. */
export interface ReadLog {
  readonly id: string
  /** The line at which it begins. */
  readonly line: number
  readonly machine: AnyMachine
  readonly events: readonly LogEvent[]
  readonly files: readonly ReadFile[]
  readonly notes: readonly Note[]
  readonly state: MachineState
}

/** A line of an export is wrong. Nothing of an export with such a line is written. */
export class WrongLine extends Error {
  readonly line: number

  constructor(line: number, why: string) {
    super(`Line ${line}: ${why}`)
    this.line = line
  }
}

type Fields = Readonly<Record<string, unknown>>
type Begun = { -readonly [K in keyof Omit<ReadLog, 'events' | 'files' | 'notes' | 'machine'>]: ReadLog[K] } & {
  machine: AnyMachine | undefined
  readonly events: LogEvent[]
  readonly files: FileReader[]
  readonly notes: Note[]
}

export async function* readExport(
  lines: Iterable<string> | AsyncIterable<string>,
  machines: readonly AnyMachine[],
): AsyncGenerator<ReadLog, void, undefined> {
  let nth = 0
  let [conversations, events] = [0, 0]
  let log: Begun | undefined
  let ended = false
  const ids = new Set<string>()
  for await (const text of lines) {
    nth++
    if (ended) throw new WrongLine(nth, 'the export ended before this line.')
    const line = parse(text, nth)
    if (nth === 1) {
      checkFirst(line)
      continue
    }
    switch (line['type']) {
      case 'conversation':
        if (log) yield whole(log, nth)
        log = begin(line, nth, ids)
        conversations++
        break
      case 'file':
        addFile(belonging(log, line, nth), line['file'], nth)
        break
      case 'bytes':
        addBytes(belonging(log, line, nth), line['base64'], nth)
        break
      case 'event':
        addEvent(belonging(log, line, nth), line['event'], nth, machines)
        events++
        break
      case 'note':
        addNote(belonging(log, line, nth), line['note'], nth)
        break
      case 'end':
        if (log) yield whole(log, nth)
        if (line['conversations'] !== conversations || line['events'] !== events)
          throw new WrongLine(
            nth,
            `it counts ${describeValue(line['conversations'])} conversations and ${describeValue(line['events'])} events, and the lines before it have ${conversations} and ${events}. Lines are missing.`,
          )
        ended = true
        break
      default:
        throw new WrongLine(nth, `it has the unknown type ${describeValue(line['type'])}.`)
    }
  }
  if (!ended)
    throw new WrongLine(nth + 1, 'the last line, of type "end", is missing: the export was cut. Export again.')
}

function parse(text: string, nth: number): Fields {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new WrongLine(nth, 'it is not JSON.')
  }
  if (!isObject(value)) throw new WrongLine(nth, 'it is not an object.')
  return value
}

function checkFirst({ type, format, version }: Fields): void {
  if (type !== 'export' || format !== EXPORT_FORMAT)
    throw new WrongLine(
      1,
      `this is no export of conversations. It begins with {"type":"export","format":"${EXPORT_FORMAT}"}.`,
    )
  if (version !== EXPORT_VERSION)
    throw new WrongLine(
      1,
      `the export has version ${describeValue(version)}, and this code reads version ${EXPORT_VERSION}.`,
    )
}

function begin({ data }: Fields, line: number, ids: Set<string>): Begun {
  const given = isObject(data) ? data['id'] : undefined
  let id: string
  try {
    id = checkId('The id of a conversation', given)
  } catch (error) {
    throw new WrongLine(line, messageOf(error))
  }
  if (ids.has(id)) throw new WrongLine(line, `conversation "${id}" is in the export twice.`)
  ids.add(id)
  return { id, line, machine: undefined, events: [], files: [], notes: [], state: { seq: 0 } }
}

function belonging(log: Begun | undefined, line: Fields, nth: number): Begun {
  if (log && line['conversationId'] === log.id) return log
  throw new WrongLine(
    nth,
    `it is about ${describeValue(line['conversationId'])}, not about the conversation before it.`,
  )
}

function addFile(log: Begun, given: unknown, nth: number): void {
  if (log.events.length > 0) throw new WrongLine(nth, 'a file comes after the events of its conversation.')
  try {
    log.files.push(new FileReader(given, nth))
  } catch (error) {
    throw new WrongLine(nth, messageOf(error))
  }
}

function addBytes(log: Begun, base64: unknown, nth: number): void {
  const file = log.events.length === 0 ? log.files.at(-1) : undefined
  const problem = file ? file.add(base64) : 'it has bytes, and no file is before it.'
  if (problem !== undefined) throw new WrongLine(nth, problem)
}

function addEvent(log: Begun, given: unknown, nth: number, machines: readonly AnyMachine[]): void {
  const problem = eventProblem(given)
  if (problem !== undefined) throw new WrongLine(nth, `its event ${problem}.`)
  const event = given as LogEvent
  if (log.notes.length > 0) throw new WrongLine(nth, 'an event comes after the notes of its conversation.')
  if (isTombstone(event)) throw new WrongLine(nth, 'the conversation was erased.')
  if (event.seq !== log.events.length + 1)
    throw new WrongLine(nth, `its event has the seq ${event.seq}, and ${log.events.length + 1} comes next.`)
  if (!log.machine) {
    log.machine = machines.find((machine) => machine.begins(event))
    if (!log.machine) throw new WrongLine(nth, `no log of this runtime begins with "${event.type}".`)
    log.state = log.machine.empty
  }
  try {
    log.state = log.machine.evolve(log.state, event)
  } catch (error) {
    throw new WrongLine(nth, messageOf(error))
  }
  log.events.push(event)
}

function addNote(log: Begun, given: unknown, nth: number): void {
  const { kind, seq, at, data } = isObject(given) ? given : ({} as Fields)
  const fits = kind === SUMMARY && isSeq(seq) && Number(seq) <= log.events.length && isTime(at) && isObject(data)
  if (!fits || typeof data['text'] !== 'string') throw new WrongLine(nth, 'its note is no summary of the conversation.')
  log.notes.push({ kind, seq: Number(seq), at: Number(at), data })
}

function whole({ machine, files: readers, ...log }: Begun, nth: number): ReadLog {
  if (!machine) throw new WrongLine(nth, `conversation "${log.id}" before it has no events.`)
  const files = readers.map((reader) => {
    const read = reader.whole()
    if (read) return read
    throw new WrongLine(reader.line, 'the bytes of this file are not those of its size and hash.')
  })
  return { ...log, machine, files }
}
