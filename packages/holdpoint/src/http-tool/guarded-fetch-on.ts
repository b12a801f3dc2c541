/**
 * `fetch` with the address check of HTTP tools, for protocols that need a stream. Each request has a new connection to a checked
 * address. Nothing is decompressed, the size of the response is limited, and redirects are not followed, because they would get the
 * credentials.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { nodeHttp } from '../load-later.ts'
import { connect, hostnameOf, type Network } from './connect.ts'
import type { GuardedFetch, GuardedFetchOptions } from './guarded-fetch-options.ts'
import { asRequestFailed, RequestFailed } from './request-failed.ts'

const WITHOUT_BODY = new Set([101, 204, 205, 304])

export function guardedFetchOn(network: Network, options: GuardedFetchOptions): GuardedFetch {
  return async (given, init = {}) => {
    const url = new URL(given)
    const signal = init.signal ?? new AbortController().signal
    try {
      const allowPrivate = isPrivateHost(url, options.privateHosts)
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate))
        throw new RequestFailed(`${url.host} must be requested over https.`)
      const socket = await connect(url, { network, allowPrivate, signal })
      const answer = await send(socket, url, init, signal)
      return toResponse(answer, url, options.maxBytes)
    } catch (error) {
      // The caller that aborted gets its own reason.
      throw signal.aborted ? signal.reason : asRequestFailed(error, url.host)
    }
  }
}

function isPrivateHost(url: URL, hosts: GuardedFetchOptions['privateHosts'] = []): boolean {
  return hosts === true || hosts.includes(hostnameOf(url)) || hosts.includes(url.host)
}

function send(
  socket: Awaited<ReturnType<typeof connect>>,
  url: URL,
  { method = 'GET', headers, body }: RequestInit,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array))
      return reject(new RequestFailed('Only text and bytes can be sent.'))
    const request = nodeHttp().request({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        host: url.host,
        'accept-encoding': 'identity',
        ...(body && { 'content-length': Buffer.byteLength(body) }),
      },
      signal,
    })
    request.on('error', reject)
    request.once('response', resolve)
    request.once('close', () => reject(new RequestFailed(`${url.host} closed the connection without an answer.`)))
    request.end(body ?? undefined)
  })
}

function toResponse(answer: IncomingMessage, url: URL, maxBytes: number): Response {
  const { statusCode: status = 500, headers } = answer
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '') {
    answer.destroy()
    throw new RequestFailed(`${url.host} compressed its answer, though it was asked not to.`)
  }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  )
  const init = { status, headers: lines }
  if (WITHOUT_BODY.has(status)) {
    answer.resume()
    return new Response(null, init)
  }
  const body = Readable.toWeb(Readable.from(upTo(answer, url.host, maxBytes), { objectMode: false }))
  return new Response(body as ReadableStream<Uint8Array>, init)
}

async function* upTo(answer: IncomingMessage, host: string, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new RequestFailed(`${host} answered with more than ${maxBytes} bytes.`)
    yield chunk
  }
}
