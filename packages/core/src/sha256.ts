/**
 * SHA-256 of a text or of bytes, as hex. The core needs a synchronous hash for approvals, but may not import a module, and the digest of the
 * platform is asynchronous.
 */
import { toUtf8 } from './utf8.ts'

const PRIMES = firstPrimes(64)
/** All words here are signed, because engines compute unsigned ones as floats. */
const ROUND = Int32Array.from(PRIMES, (p) => fraction(Math.cbrt(p)))
const START = Int32Array.from(PRIMES.slice(0, 8), (p) => fraction(Math.sqrt(p)))

export function sha256(given: string | Uint8Array): string {
  const bytes = padded(typeof given === 'string' ? toUtf8(given) : given)
  const hash = START.slice()
  const w = new Int32Array(64)
  for (let at = 0; at < bytes.length; at += 64) block(bytes, at, w, hash)
  let hex = ''
  for (const word of hash) hex += (word >>> 0).toString(16).padStart(8, '0')
  return hex
}

function block(bytes: Uint8Array, at: number, w: Int32Array, hash: Int32Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 64)
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(i * 4)
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15]!
    const b = w[i - 2]!
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
  let a = hash[0]!
  let b = hash[1]!
  let c = hash[2]!
  let d = hash[3]!
  let e = hash[4]!
  let f = hash[5]!
  let g = hash[6]!
  let h = hash[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i]! + w[i]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  hash[0]! += a
  hash[1]! += b
  hash[2]! += c
  hash[3]! += d
  hash[4]! += e
  hash[5]! += f
  hash[6]! += g
  hash[7]! += h
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function padded(bytes: Uint8Array): Uint8Array {
  const size = Math.ceil((bytes.length + 9) / 64) * 64
  const out = new Uint8Array(size)
  out.set(bytes)
  out[bytes.length] = 0x80
  const view = new DataView(out.buffer)
  view.setUint32(size - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(size - 4, (bytes.length << 3) >>> 0)
  return out
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
  return primes
}

function fraction(x: number): number {
  return Math.floor((x - Math.floor(x)) * 0x100000000) >>> 0
}
