/**
 * Which addresses are on the public internet. Addresses in the IANA special-purpose registries are not: loopback, private and shared
 * networks, link-local (where clouds serve their credentials), documentation, multicast, reserved. For IPv6, only 2000::/3 can be
 * public. That excludes embedded IPv4 addresses (::ffff:0:0/96, ::/96, and 64:ff9b::/96 of NAT64) and all future ranges.
 */
import { BlockList, isIP } from 'node:net'

const SPECIAL_V4: ReadonlyArray<readonly [string, number]> = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by a carrier's customers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

const SPECIAL_V6: ReadonlyArray<readonly [string, number]> = [
  ['2001::', 23], // protocol assignments, with Teredo (IPv4 inside) and ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: IPv4 inside
  ['3fff::', 20], // documentation
]

const special = new BlockList()
for (const [net, prefix] of SPECIAL_V4) special.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of SPECIAL_V6) special.addSubnet(net, prefix, 'ipv6')

const globalV6 = new BlockList()
globalV6.addSubnet('2000::', 3, 'ipv6')

/** `address` is an IP address as Node writes it; anything else is not public. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone (`fe80::1%eth0`) is local to this machine, and BlockList cannot read it.
  if (address.includes('%')) return false
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && globalV6.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
