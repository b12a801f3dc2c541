import type { ServerResponse } from 'node:http'
import type { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Gateway } from './gateway.ts'
import type { Peer } from './http/route.ts'

/** `gateway.fetch`, with the connection of the client. */
export function fetchWithPeer(gateway: Pick<Gateway, 'fetch'>): Parameters<typeof getRequestListener>[0] {
  return (request, { incoming, outgoing }) =>
    // An absolute URL names a second host, which is not checked. Only proxies need it.
    incoming.url?.startsWith('/')
      ? gateway.fetch(request, peerOf(outgoing as ServerResponse))
      : new Response(null, { status: 400 })
}

function peerOf(outgoing: ServerResponse): Peer {
  const address = outgoing.socket?.remoteAddress
  return {
    ...(address !== undefined && { address }),
    disconnect: () => outgoing.destroy(),
    onDisconnect: (leave) => void (outgoing.destroyed ? leave() : outgoing.once('close', leave)),
    send: (status, headers, body) => {
      outgoing.writeHead(status, body === null ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
      outgoing.end(body)
      return RESPONSE_ALREADY_SENT
    },
    stream: (headers, body) => {
      outgoing.writeHead(200, headers)
      outgoing.on('drain', () => body.pull())
      body.start({
        write: (text) => outgoing.write(text),
        end: (text) => void outgoing.end(text),
        fail: () => void outgoing.destroy(),
      })
      body.pull()
      return RESPONSE_ALREADY_SENT
    },
  }
}
