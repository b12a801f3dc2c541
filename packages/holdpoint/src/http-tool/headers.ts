/** The headers of an HTTP tool: those that the author may set, and our own. */
import { nodeHttp } from '../load-later.ts'
import { RequestFailed } from './request-failed.ts'

export type Headers = Readonly<Record<string, string>>

/** With these, an author could smuggle a second request, or ask for a response that cannot be read. */
const RESERVED = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
  'content-encoding',
  'proxy-authorization',
  'proxy-connection',
])

/** Returns what is wrong with the headers, without their values. Undefined if they are valid. */
export function wrongHeader(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return 'they must be an object of names and texts'
  const { validateHeaderName, validateHeaderValue } = nodeHttp()
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED.has(name.toLowerCase())) return `"${name}" cannot be set by the author`
    if (typeof value !== 'string') return `"${name}" is not a text`
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      return `${JSON.stringify(name)} has a name or a value that cannot be sent`
    }
  }
  return undefined
}

/** Calls the author's function. It knows secrets, so the model must not read the message of its error. */
export async function madeHeaders(make: () => Headers | Promise<Headers>): Promise<Headers> {
  let made: Headers
  try {
    made = await make()
  } catch (error) {
    if (error instanceof RequestFailed) throw error // our own message, without secrets
    throw new RequestFailed(
      `The function for the headers failed (${error instanceof Error ? error.name : 'an unknown error'}).`,
    )
  }
  const wrong = wrongHeader(made)
  if (wrong !== undefined) throw new RequestFailed(`The headers of the request cannot be sent: ${wrong}.`)
  return lowerCase(made)
}

export function lowerCase(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

export function ownHeaders(callId: string, hasBody: boolean, traceparent: string | undefined): Headers {
  return {
    ...(traceparent !== undefined && { traceparent }),
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    'user-agent': 'holdpoint',
    'idempotency-key': callId,
    ...(hasBody && { 'content-type': 'application/json' }),
  }
}
