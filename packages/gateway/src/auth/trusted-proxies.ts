/**
 * The client address of a request when there are proxies in front of the gateway. A client can forge the forwarding
 * headers, so only the entries that a trusted proxy wrote count. Each proxy appends the address of its peer, so entries
 * are read from the right.
 */
import { BlockList, isIP } from 'node:net'
import { HoldpointError } from '@holdpoint/core'

/** Whether the proxy at this address, `steps` hops away, is trusted. */
export type TrustedProxies = (address: string, steps: number) => boolean

const MAX_STEPS = 32

export function trustedProxies(given: readonly string[] | number): TrustedProxies {
  if (typeof given === 'number') {
    if (!Number.isInteger(given) || given < 0 || given > MAX_STEPS)
      throw invalid(`as a number must be from 0 to ${MAX_STEPS}, not ${given}`)
    return (_, steps) => steps < given
  }
  const list = new BlockList()
  for (const each of given) addTo(list, each)
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function addTo(list: BlockList, text: string): void {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  const most = family === 6 ? 128 : 32
  if (family === 0 || more.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
    throw invalid(`contains ${JSON.stringify(text)}, which is not an address such as "10.1.2.3" or "10.0.0.0/8"`)
  list.addSubnet(address, Number(bits ?? most), family === 6 ? 'ipv6' : 'ipv4')
}

/** The trusted address that is nearest to the client; `peer` when no header is trusted. */
export function clientOf(peer: string | undefined, headers: Headers, trusted: TrustedProxies): string | undefined {
  if (peer === undefined || !trusted(plain(peer), 0)) return peer
  const chains = [forwardedFor(headers), forwarded(headers)].filter((chain) => chain.length > 0)
  const found = new Set(chains.map((chain) => follow(plain(peer), chain, trusted)))
  const [only, ...others] = found
  // A client may send the header that the proxy does not write. When the two differ, ignore both.
  return only !== undefined && others.length === 0 ? only : peer
}

function follow(peer: string, chain: readonly string[], trusted: TrustedProxies): string {
  let address = peer
  for (const [index, entry] of chain.toReversed().entries()) {
    if (!trusted(address, index)) return address
    const next = addressIn(entry)
    if (next === undefined) return address
    address = next
  }
  return address
}

function forwardedFor(headers: Headers): readonly string[] {
  return parts(headers.get('x-forwarded-for'))
}

/** RFC 7239: `for=192.0.2.7;proto=https, for="[2001:db8::1]:4711"`. */
function forwarded(headers: Headers): readonly string[] {
  return parts(headers.get('forwarded')).map((each) => /(?:^|;)\s*for="?([^;"]*)"?/i.exec(each)?.[1] ?? '')
}

function parts(header: string | null): readonly string[] {
  return header === null ? [] : header.split(',').map((each) => each.trim())
}

/** The address without its port; undefined when it is not an address, such as `unknown`. */
function addressIn(entry: string): string | undefined {
  const address = plain(/^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? entry.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'))
  return isIP(address) === 0 ? undefined : address
}

/** An IPv4 address without the IPv6 prefix. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

function invalid(what: string): HoldpointError {
  return new HoldpointError('config-invalid', `"trustedProxies" ${what}.`)
}
