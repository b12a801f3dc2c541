/**
 * A tool whose calls are HTTP requests. The author sets the url, and the model fills in fields. A field without a `{placeholder}`
 * goes to the query (GET, HEAD, DELETE) or to the JSON body (POST, PUT, PATCH). The model reads `{ status, body }`. A status that is
 * not 2xx is an error with the same details, so that the model can read the message of the service.
 *
 * The defaults are strict: only public addresses (`allowPrivate`), only https (`allowHttp`, or `allowPrivate` for your own services),
 * three redirects, 30 s, 1 MB, no compression. The request has the call's id as `Idempotency-Key`.
 *
 * If the process dies during a call, the request is sent again under the same id if HTTP says that this is safe (GET, HEAD, PUT,
 * DELETE). For POST and PATCH, a person decides, unless the service respects the key and the author sets `onLost: 'retry'`. An approval
 * is valid for this url and method only: both are part of the tool's fingerprint.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import {
  canonical,
  HoldpointError,
  timedOut,
  toJson,
  toolError,
  type AnySchema,
  type HandlerResult,
  type Infer,
  type Json,
  type JsonObject,
  type ServerToolOptions,
  type Tool,
  type ToolContext,
} from '@holdpoint/core'
import { tool } from '../tool.ts'
import { unlessAborted } from './unless-aborted.ts'
import { hostnameOf, type Network } from './connect.ts'
import type { Outgoing } from './exchange.ts'
import { follow, type Policy } from './follow.ts'
import type { HttpToolResult, HttpMethod, HttpTool, HttpToolOptions } from './http-tool-options.ts'
import { lowerCase, madeHeaders, ownHeaders, wrongHeader, type Headers } from './headers.ts'
import { isPublicAddress } from './public-address.ts'
import { RequestFailed } from './request-failed.ts'
import { responseBody } from './response-body.ts'
import { shownUrl } from './shown-url.ts'
import { urlTemplate, withQuery, type UrlTemplate } from './url-template.ts'

const METHODS: Readonly<Record<HttpMethod, { readonly body: boolean; readonly onLost: 'retry' | 'ask' }>> = {
  GET: { body: false, onLost: 'retry' },
  HEAD: { body: false, onLost: 'retry' },
  DELETE: { body: false, onLost: 'retry' },
  PUT: { body: true, onLost: 'retry' },
  POST: { body: true, onLost: 'ask' },
  PATCH: { body: true, onLost: 'ask' },
}
const LONGEST_TIMER = 2_147_483_647

/** `httpTool` on a network: Node's own, or another one for tests. */
export function httpToolOn(network: Network): HttpTool {
  return <I extends AnySchema>(options: HttpToolOptions<I>) => {
    const {
      url,
      method = 'GET',
      headers = {},
      maxBytes = 1_048_576,
      allowPrivate = false,
      allowHttp = false,
      ...rest
    } = options
    const what = `Tool ${JSON.stringify(rest.name)}`
    if (!Object.hasOwn(METHODS, method))
      throw invalid(
        `${what}: "method" must be one of ${Object.keys(METHODS).join(', ')}, not ${JSON.stringify(method)}.`,
      )
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
      throw invalid(`${what}: "maxBytes" must be a whole number above 0.`)
    const template = urlTemplate(url, what)
    checkTarget(template.sample, { allowPrivate, allowHttp }, what)
    const wrong = typeof headers === 'function' ? undefined : wrongHeader(headers)
    if (wrong !== undefined) throw invalid(`${what}: "headers": ${wrong}.`)

    const policy = { network, allowPrivate, allowHttp, maxBytes }
    const define = tool as (options: ServerToolOptions<I, HttpToolResult>) => Tool<Infer<I>, HttpToolResult, 'server'>
    const made = define({
      timeout: '30 seconds',
      onLost: METHODS[method].onLost,
      maxResultBytes: 2 * maxBytes, // a body is larger as JSON
      ...rest,
      run: (context) => {
        const make = async (): Promise<Outgoing> => {
          const custom = typeof headers === 'function' ? await madeHeaders(() => headers(context)) : lowerCase(headers)
          return outgoing(template, method, custom, context)
        }
        return call(make, policy, made.waiting.timeoutMs, context.signal)
      },
    })
    checkPlaceholders(template, made.input.json, what)
    const fingerprint = createHash('sha256')
      .update(canonical({ tool: made.fingerprint, method, url }))
      .digest('hex')
    return { ...made, fingerprint, definition: { ...made.definition, method, url: shownUrl(url) } }
  }
}

function outgoing(
  template: UrlTemplate,
  method: HttpMethod,
  custom: Headers,
  { input, call: { id, traceparent } }: ToolContext,
): Outgoing {
  const json = toJson(input)
  if (!json.ok || !isObject(json.value))
    throw new RequestFailed('The input is not an object, so it has no fields to send.')
  const url = template.fill(json.value)
  const rest = Object.fromEntries(Object.entries(json.value).filter(([name]) => !template.names.has(name)))
  const { body } = METHODS[method]
  const headers = ownHeaders(id, body, traceparent)
  return body
    ? { url, method, headers, custom, body: JSON.stringify(rest) }
    : { url: withQuery(url, rest), method, headers, custom, body: undefined }
}

/** The model reads every network error. Only bugs of ours are thrown. */
async function call(
  make: () => Promise<Outgoing>,
  policy: Policy,
  timeoutMs: number,
  cancelled: AbortSignal,
): Promise<Awaited<HandlerResult<HttpToolResult>>> {
  const limit = new AbortController()
  const cancel = (): void => limit.abort(new RequestFailed('The request was cancelled.'))
  if (cancelled.aborted) cancel()
  cancelled.addEventListener('abort', cancel, { once: true })
  const timer = setTimeout(
    () => limit.abort(new RequestFailed(timedOut(timeoutMs))),
    Math.min(timeoutMs, LONGEST_TIMER),
  )
  try {
    const final = await follow(await unlessAborted(make(), limit.signal), policy, limit.signal)
    const { body, problem } = responseBody(final)
    const { status, host } = final
    if (status < 200 || status > 299) return toolError(`${host} answered ${status}.`, { status, body })
    if (problem !== undefined)
      return toolError(
        `${host} answered ${status}, so the request was carried out, but the JSON it sent cannot be read: ${problem}.`,
        { status, body },
      )
    return { status, body }
  } catch (error) {
    if (error instanceof RequestFailed) return toolError(error.message)
    throw error
  } finally {
    clearTimeout(timer)
    cancelled.removeEventListener('abort', cancel)
  }
}

function checkTarget(
  url: URL,
  { allowPrivate, allowHttp }: Pick<Policy, 'allowPrivate' | 'allowHttp'>,
  what: string,
): void {
  if (allowPrivate) return
  const hostname = hostnameOf(url)
  if (url.protocol === 'http:' && !allowHttp) {
    throw invalid(
      `${what}: "url" is not encrypted. Use https://, or say "allowHttp: true" (or "allowPrivate: true" for a service in your own network).`,
    )
  }
  if (isIP(hostname) ? !isPublicAddress(hostname) : /(^|\.)localhost\.?$/.test(hostname)) {
    throw invalid(
      `${what}: the address of ${hostname} is not public. If the tool is meant to call it, say "allowPrivate: true".`,
    )
  }
}

/** A misspelt placeholder would make every call fail, so it is an error when the tool is defined. */
function checkPlaceholders({ names }: UrlTemplate, { properties }: JsonObject, what: string): void {
  if (properties === undefined || !isObject(properties)) return
  for (const name of names) {
    if (!Object.hasOwn(properties, name))
      throw invalid(
        `${what}: "url" has the placeholder {${name}}, and the input has no such field. It has ${Object.keys(properties).join(', ') || 'none'}.`,
      )
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('tool-invalid', message)
}
