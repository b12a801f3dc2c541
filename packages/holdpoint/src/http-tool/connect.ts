/**
 * Connects to the host of a URL, but only to checked addresses. An earlier check is not safe, because a name may resolve to another
 * address a moment later. So the name is resolved once, all its addresses must be public, the socket may use only those, and the
 * address of the connection is checked again before a byte is sent. No agent, no pool, no proxy from the environment.
 */
import { lookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { nodeTls } from '../load-later.ts'
import { unlessAborted } from './unless-aborted.ts'
import { isPublicAddress } from './public-address.ts'
import { RequestFailed } from './request-failed.ts'

/** The network, for tests to replace. */
export interface Network {
  resolve(hostname: string): Promise<readonly string[]>
  /** Returns a socket that connects to one of these IP addresses. */
  dial(addresses: readonly string[], port: number): Socket
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: string
}

export const nodeNetwork: Network = {
  resolve: async (hostname) => (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address),
  dial: (addresses, port) => {
    const checked: LookupFunction = (_, __, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      )
    // The name is never resolved. With a name, Node calls `lookup` and tries the addresses in turn.
    return connectTcp({ host: 'checked.invalid', port, lookup: checked, autoSelectFamily: true })
  },
}

export interface ConnectOptions {
  readonly network: Network
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

export async function connect(url: URL, { network, allowPrivate, signal }: ConnectOptions): Promise<Socket> {
  const hostname = hostnameOf(url)
  const secure = url.protocol === 'https:'
  const addresses = isIP(hostname) ? [hostname] : await unlessAborted(network.resolve(hostname), signal)
  if (addresses.length === 0) throw new RequestFailed(`${hostname} could not be found.`)
  if (!allowPrivate && !addresses.every(isPublicAddress)) throw notPublic(hostname)

  const socket = network.dial(addresses, Number(url.port || (secure ? 443 : 80)))
  await opened(socket, 'connect', signal)
  const { remoteAddress } = socket
  if (
    !allowPrivate &&
    (remoteAddress === undefined || !addresses.includes(remoteAddress) || !isPublicAddress(remoteAddress))
  ) {
    socket.destroy()
    throw notPublic(hostname)
  }
  if (!secure) return socket
  const encrypted = nodeTls().connect({
    socket,
    host: hostname,
    ...(!isIP(hostname) && { servername: hostname }),
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
    rejectUnauthorized: true,
    ...(network.ca !== undefined && { ca: network.ca }),
  })
  await opened(encrypted, 'secureConnect', signal)
  return encrypted
}

/** Without the brackets of an IPv6 address. The URL parser has already written odd IPv4 forms (0x7f.1) the usual way. */
export function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

function notPublic(hostname: string): RequestFailed {
  return new RequestFailed(
    `The address of ${hostname} is not public. The tool's author can permit it with "allowPrivate: true".`,
  )
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  // Never removed: an error without a listener would end the process.
  socket.on('error', () => {})
  const settled = new Promise<void>((resolve, reject) => {
    socket.once(event, () => resolve())
    socket.once('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
  })
  return unlessAborted(settled, signal, () => socket.destroy())
}
