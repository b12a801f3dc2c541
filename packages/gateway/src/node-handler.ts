/** The gateway as a request handler of `node:http`, and of frameworks that use its requests, such as Express. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Gateway } from './gateway.ts'
import { fetchWithPeer } from './fetch-with-peer.ts'

/** `IncomingMessage` and `ServerResponse` of `node:http`, by structure: a program without the types of Node compiles too. */
export type NodeHandler = (
  incoming: { readonly url?: string | undefined; readonly method?: string | undefined },
  outgoing: { end(): unknown },
) => Promise<void>

/** A stream ends when its client disconnects. A body that a parser has read before, such as `express.json()`, is accepted. */
export function nodeHandler(gateway: Pick<Gateway, 'fetch'>): NodeHandler {
  const listener = getRequestListener(fetchWithPeer(gateway), { overrideGlobalObjects: false })
  return (incoming, outgoing) => {
    restoreBody(incoming as IncomingMessage)
    return listener(incoming as IncomingMessage, outgoing as ServerResponse)
  }
}

type Parsed = IncomingMessage & { body?: unknown; rawBody?: Buffer }

/** When a parser has consumed the stream, the Request is made from `rawBody`. The gateway validates it like any other. */
function restoreBody(incoming: Parsed): void {
  const { body, rawBody } = incoming
  if (body === undefined || rawBody !== undefined || !incoming.readableEnded) return
  incoming.rawBody = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : textOf(body))
}

/** `JSON.stringify` throws on JSON that is nested too deeply. The gateway then refuses `{` as malformed. */
function textOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch {
    return '{'
  }
}
