/** A gateway on a port. On a developer's machine: reachable from that machine alone, with a key that is printed once. */
import type { Server, ServerResponse } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { HoldpointError } from '@holdpoint/core'
import { gateway, type Gateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { isLoopbackHost, LOOPBACK_HOSTS } from './http/guard.ts'
import type { Peer } from './http/route.ts'

export interface ServeOptions extends GatewayOptions {
  /** Any free one unless said. */
  readonly port?: number
  /** 127.0.0.1 unless said. */
  readonly host?: string
  /** Told the key that was made because there was none; told nothing when keys or tokens are in the settings. */
  readonly firstKey?: (key: string) => void
}

export interface Served {
  readonly url: string
  readonly gateway: Gateway
  /** Takes nothing new, ends the streams, and then closes the runtime: what is under way is finished or handed over. */
  close(): Promise<void>
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

export async function serve(options: ServeOptions): Promise<Served> {
  const { port = 0, host = '127.0.0.1', firstKey, ...rest } = options
  if (!LOOPBACK.includes(host) && rest.hosts === undefined)
    throw new HoldpointError(
      'config-invalid',
      `Listening on ${host} lets others in: say under which names with \`hosts\`, such as ['holdpoint.acme.test'].`,
    )
  const hosts = rest.hosts ?? LOOPBACK_HOSTS
  if (rest.openConsole && !(LOOPBACK.includes(host) && hosts.every(isLoopbackHost)))
    throw new HoldpointError(
      'config-invalid',
      'An open console is for this machine alone. Leave `openConsole` out where others can come, and give them keys.',
    )
  const door = gateway({ ...rest, hosts })
  if (firstKey && !rest.auth?.keys?.length && !rest.auth?.tokens) await makeFirstKey(door, firstKey)
  const server = createAdaptorServer({
    fetch: (request, { incoming, outgoing }) =>
      // For proxies: it names a host of its own, beside the one that is checked.
      incoming.url?.startsWith('/')
        ? door.fetch(request, peerOf(outgoing as ServerResponse))
        : new Response(null, { status: 400 }),
    overrideGlobalObjects: false,
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 },
  }) as Server
  await listen(server, port, host)
  return {
    url: urlOf(server, host),
    gateway: door,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await door.close()
      server.closeIdleConnections()
      await rest.runtime.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function peerOf(outgoing: ServerResponse): Peer {
  const address = outgoing.socket?.remoteAddress
  return {
    ...(address !== undefined && { address }),
    hangUp: () => outgoing.destroy(),
    whenGone: (leave) => void (outgoing.destroyed ? leave() : outgoing.once('close', leave)),
    send: (status, headers, body) => {
      outgoing.writeHead(status, body === null ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
      outgoing.end(body)
      return RESPONSE_ALREADY_SENT
    },
  }
}

/** Once per store: whoever lost it makes another with a program of theirs. */
async function makeFirstKey({ keys }: Gateway, tell: (key: string) => void): Promise<void> {
  if ((await keys.list('', undefined, 1)).items.length > 0) return
  const { key } = await keys.create('', { name: 'first', scopes: ['admin'] })
  tell(key)
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, port, host))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

/** What somebody who starts a program can do something about, in words. */
function cannotListen(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const why = CANNOT_LISTEN[error.code ?? '']
  if (why === undefined) return error
  return new HoldpointError('config-invalid', `It cannot listen on ${host}:${port}: ${why}`, { cause: error })
}

const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else does. End that, or say another port, with PORT.',
  EACCES: 'it is not allowed to. Say a port above 1023, with PORT.',
  EADDRNOTAVAIL: 'this machine has no such address. Say another, with HOST.',
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
