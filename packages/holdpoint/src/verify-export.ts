/** Checks an export with hashes: without a store, and without a network. It reads batch by batch, so memory does not grow with the file. */
import { createHash } from 'node:crypto'
import {
  CHAIN_FORMAT,
  CHAIN_VERSION,
  chainText,
  NO_HASH,
  type BatchLine,
  type ChainLine,
  type HeadStatement,
  type Json,
} from '@holdpoint/core'
import { fileLines } from './file-lines.ts'
import { verifySignedHead } from './verify-signed-head.ts'

export interface ExportReport {
  /** Whether nothing is wrong. `logs` say how far a signed head covers each of them. */
  readonly ok: boolean
  readonly logs: readonly VerifiedLog[]
  readonly problems: readonly ExportProblem[]
  /** What a good report does not prove, in words. */
  readonly notProven: readonly string[]
}

export interface VerifiedLog {
  readonly tenant: string
  readonly id: string
  readonly events: number
  /** The hash of the last batch: it stands for the whole log. */
  readonly head: string
  /** The newest signed head. No signature covers the events after its seq. Undefined: no signature covers any. */
  readonly signed: Pick<HeadStatement, 'seq' | 'at' | 'key'> | undefined
}

export interface ExportProblem {
  /** The number of the line, from 1. */
  readonly line: number
  readonly message: string
}

export interface VerifyExportOptions {
  /** The fingerprints of the keys that must have signed each log. Default: any key, which proves little. */
  readonly keys?: readonly string[]
}

type Log = { -readonly [K in keyof VerifiedLog]: VerifiedLog[K] }

/** A file that is wrong throughout needs no more. */
const MOST_PROBLEMS = 100
const HASH = /^[0-9a-f]{64}$/

export async function verifyExport(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { keys }: VerifyExportOptions = {},
): Promise<ExportReport> {
  const check = new Check(keys && new Set(keys))
  for await (const { text, whole } of fileLines(file)) {
    check.line(text, whole)
    if (check.problems.length >= MOST_PROBLEMS) break
  }
  check.over()
  const { logs, problems } = check
  return { ok: problems.length === 0, logs, problems, notProven: notProven(logs, keys !== undefined) }
}

class Check {
  readonly problems: ExportProblem[] = []
  readonly logs: Log[] = []
  readonly #keys: ReadonlySet<string> | undefined
  readonly #all = createHash('sha256')
  readonly #ids = new Set<string>()
  /** The hashes of the batches of the log under way, by the seq of their last event. */
  #hashes = new Map<number, string>()
  #nth = 0
  #last: ChainLine['type'] | undefined
  #log: Log | undefined

  constructor(keys: ReadonlySet<string> | undefined) {
    this.#keys = keys
  }

  /** `text` is undefined for bytes that are not UTF-8. `whole`: a line feed follows. */
  line(text: string | undefined, whole: boolean): void {
    this.#nth++
    if (this.#last === 'end') return this.#wrong('The export ended before this line.')
    const line = text === undefined ? undefined : parsed(text)
    if (text === undefined || !line) return this.#wrong('This is no line of an export with hashes, or it was changed.')
    if (!whole) this.#wrong('The line feed at its end is missing: the file was cut or changed.')
    if ((this.#nth === 1) !== (line.type === 'export'))
      this.#wrong('An export begins with its format, and has it once.')
    if (line.type === 'end') this.#end(text)
    else this.#all.update(`${text}\n`)
    if (line.type === 'log') this.#begin(line)
    if (line.type === 'batch') this.#batch(line, text)
    if (line.type === 'signed-head') this.#signed(line)
    this.#last = line.type
  }

  over(): void {
    if (this.#last === 'end' || this.problems.length >= MOST_PROBLEMS) return
    this.#nth++
    this.#wrong('The last line, of type "end", is missing: the file was cut.')
  }

  #begin({ tenant, id }: Extract<ChainLine, { type: 'log' }>): void {
    this.#close()
    const name = JSON.stringify([tenant, id])
    if (this.#ids.has(name)) this.#wrong('This log is in the file twice.')
    this.#ids.add(name)
    this.#hashes = new Map()
    this.#log = { tenant, id, events: 0, head: NO_HASH, signed: undefined }
    this.logs.push(this.#log)
  }

  #batch({ type, seq, at, hash, events }: BatchLine, text: string): void {
    const log = this.#log
    if (!log || this.#last === 'signed-head') return this.#wrong('This batch belongs to no log.')
    const from = log.events + 1
    if (!events)
      this.#wrong(
        `The gateway left out the events ${from} to ${seq}, because a secret of the installation is in them. So nothing binds the events before them. Export in a program, or with the command line on the store itself.`,
      )
    else if (events.length === 0 || seq !== log.events + events.length)
      this.#wrong(`The events up to ${seq} do not come after event ${log.events}: events are missing, added or moved.`)
    else if (hash === NO_HASH)
      this.#wrong(
        `The events ${from} to ${seq} have no hash: they were written before logs had hashes, or were changed.`,
      )
    else if (hash !== sha256(chainText(log.head, { seq, at, events: eventsIn(text, { type, seq, at, hash }) })))
      this.#wrong(`The events ${from} to ${seq} are not those that were written after event ${log.events}.`)
    log.events = seq
    log.head = hash
    this.#hashes.set(seq, hash)
  }

  #signed(line: Extract<ChainLine, { type: 'signed-head' }>): void {
    const log = this.#log
    if (!log) return this.#wrong('This signed head belongs to no log.')
    const checked = verifySignedHead(line, this.#keys)
    if (!checked.ok) return this.#wrong(checked.message)
    const { of, tenant, id, seq, hash, at, key } = checked.head
    if (of !== 'log' || tenant !== log.tenant || id !== log.id)
      return this.#wrong('The head of another log was signed.')
    if (seq > log.events)
      return this.#wrong(
        `A head at event ${seq} was signed, and the log has ${log.events} events: its end was cut off.`,
      )
    if (this.#hashes.get(seq) !== hash)
      return this.#wrong(`The log that was signed at event ${seq} is another one: its events were changed.`)
    if (seq <= (log.signed?.seq ?? 0)) return this.#wrong('The signed heads are not in order.')
    log.signed = { seq, at, key }
  }

  #end(text: string): void {
    this.#close()
    const logs = this.logs.length
    const events = this.logs.reduce((sum, log) => sum + log.events, 0)
    const end: ChainLine = { type: 'end', logs, events, sha256: this.#all.digest('hex') }
    if (text !== JSON.stringify(end)) this.#wrong('The lines before are not those that were exported.')
  }

  #close(): void {
    const log = this.#log
    if (!log) return
    if (log.events === 0) this.#wrong('The log before this line has no events.')
    if (this.#keys && !log.signed)
      this.#wrong(`No head of the log ${JSON.stringify(log.id)} was signed with a key that was given.`)
  }

  #wrong(message: string): void {
    this.problems.push({ line: this.#nth, message })
  }
}

/** The line, if its text is exactly what an export writes for it. */
function parsed(text: string): ChainLine | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const line = typeof value === 'object' && value !== null ? known(value as Fields) : undefined
    return line && JSON.stringify(line) === text ? line : undefined
  } catch {
    // It is no JSON, or is nested so deeply that it cannot be written.
    return undefined
  }
}

/** The text of the events: `text` is what `JSON.stringify` writes for the line, and they are its last field. */
function eventsIn(text: string, others: Omit<BatchLine, 'events'>): string {
  return text.slice(JSON.stringify(others).length + ',"events":'.length - 1, -1)
}

type Fields = Readonly<Record<string, Json | undefined>>

/** The line with the fields that it must have, in their order. */
function known({ type, ...fields }: Fields): ChainLine | undefined {
  if (typeof type !== 'string') return undefined
  const { format, version, tenant, id, seq, at, hash, events, text, signature, publicKey, logs, sha256: all } = fields
  switch (type) {
    case 'export':
      return format === CHAIN_FORMAT && version === CHAIN_VERSION ? { type, format, version } : undefined
    case 'log':
      return typeof tenant === 'string' && typeof id === 'string' ? { type, tenant, id } : undefined
    case 'batch': {
      if (!isCount(seq) || typeof at !== 'number' || typeof hash !== 'string') return undefined
      if (hash !== NO_HASH && !HASH.test(hash)) return undefined
      if (events === undefined) return { type, seq, at, hash }
      return Array.isArray(events)
        ? { type, seq, at, hash, events: events as unknown as BatchLine['events'] & {} }
        : undefined
    }
    case 'signed-head':
      return typeof text === 'string' && typeof signature === 'string' && typeof publicKey === 'string'
        ? { type, text, signature, publicKey }
        : undefined
    case 'end':
      return typeof logs === 'number' && typeof events === 'number' && typeof all === 'string'
        ? { type, logs, events, sha256: all }
        : undefined
    default:
      return undefined
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function notProven(logs: readonly VerifiedLog[], keyGiven: boolean): readonly string[] {
  const open = logs.flatMap(({ id, events, signed }) => {
    const after = signed?.seq ?? 0
    return after < events
      ? [
          `No signature covers the events ${after + 1} to ${events} of ${JSON.stringify(id)}: the exporter could have written others.`,
        ]
      : []
  })
  return [
    ...open,
    ...(keyGiven
      ? []
      : [
          'No public key was given, so the key of the signatures may be anyone’s. Compare its fingerprint with one that you know.',
        ]),
    'That the events happened at the times that they name: the clocks were those of the operator.',
    'That nothing came after the newest signed head: later events may have been left out.',
    'That the file has every log: the exporter may have left out whole conversations. It proves what it says about those that are named.',
    'That the operator did not write and sign another history of the same log. Keep signed heads of your own to notice that.',
    'That tools did what their results say, and that people are who the authentication said.',
  ]
}
