/** A real HTTP server with scripted responses. It records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>

export interface ScriptedServer {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

/** The nth request gets the nth response. Later requests get the last one. */
export async function scriptedServer(...answers: readonly Answer[]): Promise<ScriptedServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const { method = '', url = '', headers } = request
      const one = { method, path: url, headers, body: Buffer.concat(parts).toString() }
      asked.push(one)
      await (answers[asked.length - 1] ?? answers.at(-1))?.(response, one)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    const type = status >= 400 ? 'application/problem+json' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body))
  }

/** Closes the connection without a response. */
export const hangUp: Answer = (response) => {
  response.destroy()
}

/** A stream with these pieces. It stays open unless `end` is set. */
export const stream =
  (pieces: readonly (string | Uint8Array)[], { end = false }: { readonly end?: boolean | 'cut' } = {}): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)))
    if (end === 'cut') response.destroy()
    else if (end) response.end()
    else response.flushHeaders()
  }
