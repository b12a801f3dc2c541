/** What callers give is checked before anything is written, so that nothing they got wrong is ever in a log. */
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import type { UserPart } from '../log/message.ts'
import type { FileData } from '../model/model.ts'
import type { Content, OpenFrom, ResolveOptions, SendOptions } from './session-options.ts'

const WHILE_BUSY: readonly unknown[] = ['refuse', 'queue', 'supersede', 'answer', undefined]

const SEND: Readonly<Record<keyof SendOptions, true>> = {
  scope: true,
  requestId: true,
  signal: true,
  by: true,
  key: true,
  whileBusy: true,
  tools: true,
  onToolError: true,
  maxSteps: true,
  output: true,
  structuredFinalize: true,
  watch: true,
  onProblem: true,
}
const RESOLVE: Readonly<Record<keyof ResolveOptions, true>> = { hold: true, by: true, kinds: true, scope: true }
const OPEN: Readonly<Record<keyof OpenFrom, true>> = { data: true, store: true, id: true, tools: true }

/** The message as it is stored: only what belongs to it. */
export function checkContent(content: unknown): Content {
  if (content === '' || (Array.isArray(content) && content.length === 0))
    throw invalid('A message says something. To go on without one, call continue().')
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(`A message is text, or a list of parts, not ${show(content)}.`)
  return content.map((part) => {
    const read = readPart(part)
    if (read) return read
    throw invalid(
      `${show(part)} is no part of a message: use { type: 'text', text } or { type: 'file', mediaType, file }.`,
    )
  })
}

export function checkOptions(options: SendOptions): void {
  checkKnown(options, SEND)
  const { by, maxSteps, whileBusy, signal, requestId, onToolError, onProblem } = options
  if (requestId !== undefined && typeof requestId !== 'string')
    throw invalid(`"requestId" is text, not ${show(requestId)}.`)
  if (onToolError !== undefined && typeof onToolError !== 'function' && !ON_ERROR.includes(onToolError))
    throw invalid(`"onToolError" must be continue, halt or a function, not ${show(onToolError)}.`)
  checkTools(options.tools)
  if (signal !== undefined && typeof signal.addEventListener !== 'function')
    throw invalid(`"signal" is an AbortSignal, not ${show(signal)}.`)
  if (onProblem !== undefined && typeof onProblem !== 'function')
    throw invalid(`"onProblem" is a function, not ${show(onProblem)}.`)
  if (by !== undefined && typeof by !== 'string') throw invalid(`"by" is text that says who, not ${show(by)}.`)
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1))
    throw invalid(`"maxSteps" must be a whole number from 1, not ${show(maxSteps)}.`)
  if (!WHILE_BUSY.includes(whileBusy))
    throw invalid(`"whileBusy" must be refuse, queue, supersede or answer, not ${show(whileBusy)}.`)
}

export function checkResolveOptions(options: ResolveOptions): void {
  checkKnown(options, RESOLVE)
}

export function checkOpen(from: OpenFrom): void {
  checkKnown(from, OPEN)
  checkTools(from.tools)
}

const ON_ERROR: readonly unknown[] = ['continue', 'halt']

/** A misspelt option must not be taken for none. */
export function checkKnown(options: object, known: object): void {
  if (!isObject(options)) throw invalid(`Options are an object, not ${show(options)}.`)
  for (const [key, value] of Object.entries(options))
    if (value !== undefined && !Object.hasOwn(known, key))
      throw invalid(`There is no option "${key}" here. It takes ${Object.keys(known).join(', ')}.`)
}

function checkTools(tools: unknown): void {
  if (tools === undefined || (Array.isArray(tools) && tools.every(isTool))) return
  throw invalid('"tools" must be a list of tools, as tool() makes them.')
}

function isTool(value: unknown): boolean {
  return isObject(value) && typeof value['fingerprint'] === 'string'
}

function readPart(part: unknown): UserPart | undefined {
  if (!isObject(part)) return undefined
  const { type, text, mediaType, filename, file } = part as Readonly<Record<string, unknown>>
  if (type === 'text') return typeof text === 'string' ? { type, text } : undefined
  const data = readFile(file)
  if (type !== 'file' || typeof mediaType !== 'string' || !data) return undefined
  return { type, mediaType, file: data, ...(typeof filename === 'string' && { filename }) }
}

function readFile(file: unknown): FileData | undefined {
  if (!isObject(file)) return undefined
  const { kind, base64, url } = file
  if (kind === 'base64' && typeof base64 === 'string') return { kind, base64 }
  return kind === 'url' && typeof url === 'string' ? { kind, url } : undefined
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
