/**
 * Sends a request and follows at most three redirects. Each is a new connection with the same address check. The author's settings
 * are only for the first host: another host gets no custom headers, which contain credentials, and `allowPrivate` does not apply to
 * it. A redirect from https to http is refused.
 */
import { connect, type Network } from './connect.ts'
import { exchange, isRedirect, type HttpResponse, type Outgoing } from './exchange.ts'
import { asRequestFailed, RequestFailed } from './request-failed.ts'

const MAX_REDIRECTS = 3

export interface Policy {
  readonly network: Network
  readonly allowPrivate: boolean
  readonly allowHttp: boolean
  readonly maxBytes: number
}

export interface Final extends HttpResponse {
  /** The host that sent the response. */
  readonly host: string
}

export async function follow(first: Outgoing, policy: Policy, signal: AbortSignal): Promise<Final> {
  let outgoing = first
  for (let hops = 0; ; hops++) {
    const answer = await ask(outgoing, first.url, policy, signal)
    if (!isRedirect(answer)) return { ...answer, host: outgoing.url.host }
    if (hops === MAX_REDIRECTS)
      throw new RequestFailed(`${first.url.host} redirected more than ${MAX_REDIRECTS} times.`)
    outgoing = redirected(outgoing, answer, first.url, policy)
  }
}

async function ask(
  outgoing: Outgoing,
  origin: URL,
  { network, maxBytes, ...policy }: Policy,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    const allowPrivate = policy.allowPrivate && sameHost(outgoing.url, origin)
    const socket = await connect(outgoing.url, { network, allowPrivate, signal })
    return await exchange(socket, outgoing, maxBytes, signal)
  } catch (error) {
    throw asRequestFailed(signal.aborted ? signal.reason : error, outgoing.url.host)
  }
}

function redirected(
  from: Outgoing,
  { status, headers }: HttpResponse,
  origin: URL,
  { allowPrivate, allowHttp }: Policy,
): Outgoing {
  const { host } = from.url
  const url = URL.canParse(headers.location ?? '', from.url.href)
    ? new URL(headers.location ?? '', from.url.href)
    : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new RequestFailed(`${host} redirected to something that is not a web address.`)
  if (
    url.protocol === 'http:' &&
    (from.url.protocol === 'https:' || !(allowHttp || (allowPrivate && sameHost(url, origin))))
  ) {
    throw new RequestFailed(`${host} redirected to ${url.host} without encryption.`)
  }
  const custom = url.origin === from.url.origin ? from.custom : {}
  const becomesGet =
    (status === 303 && from.method !== 'HEAD') || ((status === 301 || status === 302) && from.method === 'POST')
  if (!becomesGet) return { ...from, url, custom }
  return {
    url,
    custom: without(custom, 'content-type'),
    headers: without(from.headers, 'content-type'),
    method: 'GET',
    body: undefined,
  }
}

/** Compares host and port, because another port is another service. The default ports of http and https count as the same. */
function sameHost(a: URL, b: URL): boolean {
  return a.host === b.host
}

function without(headers: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
}
