/**
 * One request and its response, on a new connection that is closed afterwards. The size of the body is limited: a response with a
 * larger `content-length` is not read, and a body that becomes larger is cut off. Nothing is decompressed, so that a small response
 * cannot become a large one. The limits on headers are Node's.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { nodeHttp } from '../load-later.ts'
import { RequestFailed } from './request-failed.ts'
import type { HttpMethod } from './http-tool-options.ts'

export interface Outgoing {
  readonly url: URL
  readonly method: HttpMethod
  /** Our own headers, sent to the server. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The author's headers, sent only to the origin of the url. */
  readonly custom: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty for a redirect, whose body is not read. */
  readonly body: Buffer
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

export function isRedirect({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): boolean {
  return REDIRECTS.has(status) && headers.location !== undefined
}

export async function exchange(
  socket: Socket,
  outgoing: Outgoing,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    const response = await send(socket, outgoing, signal)
    const { statusCode: status = 0, headers } = response
    const answer = { status, headers, body: Buffer.alloc(0) }
    if (outgoing.method === 'HEAD' || isRedirect(answer)) return answer
    return { ...answer, body: await read(response, outgoing.url.host, maxBytes) }
  } finally {
    socket.destroy()
  }
}

function send(
  socket: Socket,
  { url, method, headers, custom, body }: Outgoing,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = nodeHttp().request({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        ...custom,
        host: url.host,
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      signal,
    })
    // `on`: the request may fail again after the response began. Reading the response reports that.
    request.on('error', reject)
    request.once('response', resolve)
    // Node closes without an error when the response changes the protocol.
    request.once('close', () => reject(new RequestFailed(`${url.host} closed the connection without an answer.`)))
    request.end(body)
  })
}

async function read(response: IncomingMessage, host: string, maxBytes: number): Promise<Buffer> {
  const { headers } = response
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '')
    throw new RequestFailed(`${host} compressed its answer, though it was asked not to.`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(host, maxBytes)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(host, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(host: string, maxBytes: number): RequestFailed {
  return new RequestFailed(`${host} answered with more than ${maxBytes} bytes.`)
}
