/** Base64 of bytes. The core may not use the globals of a host. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The digits of each number of 12 bits. */
const PAIRS = Array.from({ length: 4096 }, (_, n) => DIGITS[n >> 6]! + DIGITS[n & 63]!)
const VALUES = new Map(Array.from(DIGITS, (digit, n) => [digit.charCodeAt(0), n]))

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  const whole = bytes.length - (bytes.length % 3)
  for (let at = 0; at < whole; at += 3) {
    const n = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
    text += PAIRS[n >> 12]! + PAIRS[n & 4095]!
  }
  const left = bytes.length - whole
  if (left === 1) text += `${PAIRS[bytes[whole]! << 4]!}==`
  if (left === 2) {
    const n = (bytes[whole]! << 8) | bytes[whole + 1]!
    text += `${PAIRS[n >> 4]!}${DIGITS[(n & 15) << 2]!}=`
  }
  return text
}

/** Undefined if the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  const length = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length
  if (length % 4 === 1 || (length !== text.length && text.length % 4 !== 0)) return undefined
  const bytes = new Uint8Array(Math.floor((length * 3) / 4))
  let [bits, held, to] = [0, 0, 0]
  for (let at = 0; at < length; at++) {
    const value = VALUES.get(text.charCodeAt(at))
    if (value === undefined) return undefined
    held = ((held << 6) | value) & 0xffffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[to++] = (held >> bits) & 255
    }
  }
  return bytes
}
