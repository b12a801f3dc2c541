/** Checks messages and options before anything is written, so that invalid input is never in a log. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { isObject, describeValue } from '@holdpoint/core/internal/json'
import { traceparentOf } from '@holdpoint/core/internal/log/traceparent-of'
import type { UserPart } from '@holdpoint/core/internal/log/message'
import type { FileData } from '@holdpoint/core/internal/model/model'
import { checkPrincipal } from './check-principal.ts'
import type { Content, OpenSessionOptions, ResolveOptions, SendOptions } from '../session/session-options.ts'

const WHILE_BUSY: readonly unknown[] = ['refuse', 'queue', 'supersede', 'answer', undefined]

const SEND: Readonly<Record<keyof SendOptions, true>> = {
  scope: true,
  requestId: true,
  trace: true,
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
const OPEN: Readonly<Record<keyof OpenSessionOptions, true>> = { data: true, store: true, id: true, tools: true }

/** The content as it is stored, without unknown fields. */
export function checkContent(content: unknown): Content {
  if (content === '' || (Array.isArray(content) && content.length === 0))
    throw invalid('A message cannot be empty. To go on without a message, call continue().')
  if (typeof content === 'string') return content
  if (!Array.isArray(content))
    throw invalid(`A message must be a string or a list of parts, not ${describeValue(content)}.`)
  return content.map((part) => {
    const read = readPart(part)
    if (read) return read
    throw invalid(
      `${describeValue(part)} is not a part of a message. Use { type: 'text', text } or { type: 'file', mediaType, file }.`,
    )
  })
}

export function checkSendOptions(options: SendOptions): void {
  checkKnown(options, SEND)
  const { by, maxSteps, whileBusy, signal, requestId, onToolError, onProblem } = options
  if (requestId !== undefined && typeof requestId !== 'string')
    throw invalid(`"requestId" must be a string, not ${describeValue(requestId)}.`)
  if (options.trace !== undefined && traceparentOf(options.trace) === undefined)
    throw invalid(`"trace" must be a traceparent header, not ${describeValue(options.trace)}.`)
  if (onToolError !== undefined && typeof onToolError !== 'function' && !ON_ERROR.includes(onToolError))
    throw invalid(`"onToolError" must be continue, halt or a function, not ${describeValue(onToolError)}.`)
  checkTools(options.tools)
  if (signal !== undefined && typeof signal.addEventListener !== 'function')
    throw invalid(`"signal" must be an AbortSignal, not ${describeValue(signal)}.`)
  if (onProblem !== undefined && typeof onProblem !== 'function')
    throw invalid(`"onProblem" must be a function, not ${describeValue(onProblem)}.`)
  checkPrincipal(by)
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1))
    throw invalid(`"maxSteps" must be a whole number from 1, not ${describeValue(maxSteps)}.`)
  if (!WHILE_BUSY.includes(whileBusy))
    throw invalid(`"whileBusy" must be refuse, queue, supersede or answer, not ${describeValue(whileBusy)}.`)
}

export function checkResolveOptions(options: ResolveOptions): void {
  checkKnown(options, RESOLVE)
}

export function checkOpen(from: OpenSessionOptions): void {
  checkKnown(from, OPEN)
  checkTools(from.tools)
}

const ON_ERROR: readonly unknown[] = ['continue', 'halt']

/** Refuses unknown options: a misspelt one would be ignored. */
export function checkKnown(options: object, known: object): void {
  if (!isObject(options)) throw invalid(`Options must be an object, not ${describeValue(options)}.`)
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
  if (type !== 'file' || !data) return undefined
  // What is stored about the file counts, and not what the caller says about it.
  if (data.kind === 'stored') return { type, mediaType: '', file: data }
  if (typeof mediaType !== 'string') return undefined
  return { type, mediaType, file: data, ...(typeof filename === 'string' && { filename }) }
}

function readFile(file: unknown): FileData | undefined {
  if (!isObject(file)) return undefined
  const { kind, base64, url, id } = file
  if (kind === 'stored') return typeof id === 'string' ? { kind, id, bytes: 0, sha256: '' } : undefined
  if (kind === 'base64' && typeof base64 === 'string') return { kind, base64 }
  return kind === 'url' && typeof url === 'string' ? { kind, url } : undefined
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
