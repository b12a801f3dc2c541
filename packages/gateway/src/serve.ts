/** Serves a gateway on a port. By default it listens on loopback only, and reports its first key once. */
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { HoldpointError } from '@holdpoint/core'
import { gateway, type Gateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { isLoopbackHost, LOOPBACK_HOSTS } from './http/host-and-origin.ts'
import { fetchWithPeer } from './fetch-with-peer.ts'

export interface ServeOptions extends GatewayOptions {
  /** Default: any free port. */
  readonly port?: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Receives the key that is created when the store has none. Not called when keys or tokens are configured. */
  readonly firstKey?: (key: string) => void
}

export interface Served {
  readonly url: string
  /** With `openConsole`: the URL that signs the console in, once. Show it only to the developer. */
  readonly consoleUrl?: string
  readonly gateway: Gateway
  /** Refuses new requests, ends the streams and closes the runtime: work in progress is finished or handed over. */
  close(): Promise<void>
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

export async function serve(options: ServeOptions): Promise<Served> {
  const { port = 0, host = '127.0.0.1', firstKey, ...rest } = options
  if (!LOOPBACK.includes(host) && rest.hosts === undefined)
    throw new HoldpointError(
      'config-invalid',
      `Listening on ${host} exposes the gateway to other machines: set \`hosts\` to its names, such as ['holdpoint.acme.test'].`,
    )
  const hosts = rest.hosts ?? LOOPBACK_HOSTS
  if (rest.openConsole && !(LOOPBACK.includes(host) && hosts.every(isLoopbackHost)))
    throw new HoldpointError(
      'config-invalid',
      '`openConsole` is only for loopback. Leave it out when other machines can connect, and use keys.',
    )
  const served = gateway({ ...rest, hosts })
  if (firstKey && !rest.auth?.keys?.length && !rest.auth?.tokens) await makeFirstKey(served, firstKey)
  const server = createAdaptorServer({
    fetch: fetchWithPeer(served),
    overrideGlobalObjects: false,
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 },
  }) as Server
  await listen(server, port, host)
  const url = urlOf(server, host)
  return {
    url,
    ...(served.consoleCode !== undefined && { consoleUrl: `${url}/#code=${served.consoleCode}` }),
    gateway: served,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await served.close()
      server.closeIdleConnections()
      await rest.runtime.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Once per store. To replace a lost key, create one in a program. */
async function makeFirstKey({ keys }: Gateway, report: (key: string) => void): Promise<void> {
  if ((await keys.list('', undefined, 1)).items.length > 0) return
  const { key } = await keys.create('', { name: 'first', scopes: ['admin'], mayActFor: true })
  report(key)
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

/** Adds what the operator can do to the errors that have a known cause. */
function cannotListen(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const why = CANNOT_LISTEN[error.code ?? '']
  if (why === undefined) return error
  return new HoldpointError('config-invalid', `Cannot listen on ${host}:${port}: ${why}`, { cause: error })
}

const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use. Stop the other program, or set another port with PORT.',
  EACCES: 'permission denied. Set a port above 1023 with PORT.',
  EADDRNOTAVAIL: 'this machine has no such address. Set another one with HOST.',
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
