/** The headers of an HTTP tool: which the author may give, and what is sent when they say nothing. */
import { nodeHttp } from '../load-later.ts'
import { RequestFailed } from './request-failed.ts'

export type Headers = Readonly<Record<string, string>>

/** A caller that sets these can smuggle a second request, or asks for a response that is not read. */
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

/** What is wrong with them, never what is in them; undefined when they are fine. */
export function wrongHeader(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return 'they must be an object of names and texts'
  const { validateHeaderName, validateHeaderValue } = nodeHttp()
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED.has(name.toLowerCase())) return `"${name}" is not the author's to set`
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

/** Headers from a function, which sees the secrets of a scope: what it throws is not for the model. */
export async function madeHeaders(make: () => Headers | Promise<Headers>): Promise<Headers> {
  let made: Headers
  try {
    made = await make()
  } catch (error) {
    if (error instanceof RequestFailed) throw error // our own words
    throw new RequestFailed(
      `The headers of the request could not be made (${error instanceof Error ? error.name : 'an unknown error'}).`,
    )
  }
  const wrong = wrongHeader(made)
  if (wrong !== undefined) throw new RequestFailed(`The headers of the request cannot be sent: ${wrong}.`)
  return lowerCase(made)
}

export function lowerCase(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

export function ownHeaders(callId: string, hasBody: boolean): Headers {
  return {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    'user-agent': 'holdpoint',
    'idempotency-key': callId,
    ...(hasBody && { 'content-type': 'application/json' }),
  }
}
