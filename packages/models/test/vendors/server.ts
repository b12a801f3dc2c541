/**
 * A vendor on localhost: it records requests and sends prepared answers in order. An `open` answer ends when the client
 * disconnects or the test calls `cut`, which drops the connection like a network failure.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly open?: boolean
}

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface VendorServer extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  answer(...answers: Answer[]): void
  /** Drops the connection of every answer that is still open. */
  cut(): void
  /** Resolves when the client has disconnected from the last answer. */
  left(): Promise<void>
}

export async function vendorServer(): Promise<VendorServer> {
  const asked: Asked[] = []
  const answers: Answer[] = []
  const open = new Set<ServerResponse>()
  const left = Promise.withResolvers<void>()

  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked.push({ path: request.url ?? '', headers: request.headers, body })
      const {
        status = 200,
        headers = {},
        body: text,
        open: stays = false,
      } = answers.shift() ?? { status: 599, body: 'no answer prepared' }
      const type = status === 200 ? 'text/event-stream' : 'application/json'
      response.writeHead(status, { 'content-type': type, ...headers })
      response.write(text)
      if (!stays) return response.end()
      open.add(response)
      return response.once('close', () => left.resolve())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (...more) => void answers.push(...more),
    cut: () => open.forEach((response) => response.socket?.destroy()),
    left: () => left.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return JSON.parse(text)
}

/** Server-sent events of JSON data, named after their type where the vendor does that. */
export function sse(events: readonly object[], named = false): string {
  return events
    .map(
      (event) =>
        `${named && 'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    )
    .join('')
}
