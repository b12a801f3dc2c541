/** UTF-8 of a text, and back. The core may not use the globals of a host. */

export function toUtf8(text: string): Uint8Array {
  const out = new Uint8Array(text.length * 3)
  let n = 0
  for (let at = 0; at < text.length; at++) {
    let c = text.codePointAt(at)!
    if (c >= 0x10000) at++ // a surrogate pair takes two units
    if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd // encoders replace a lone surrogate
    if (c < 0x80) out[n++] = c
    else if (c < 0x800) {
      out[n++] = 0xc0 | (c >> 6)
      out[n++] = 0x80 | (c & 63)
    } else if (c < 0x10000) {
      out[n++] = 0xe0 | (c >> 12)
      out[n++] = 0x80 | ((c >> 6) & 63)
      out[n++] = 0x80 | (c & 63)
    } else {
      out[n++] = 0xf0 | (c >> 18)
      out[n++] = 0x80 | ((c >> 12) & 63)
      out[n++] = 0x80 | ((c >> 6) & 63)
      out[n++] = 0x80 | (c & 63)
    }
  }
  return out.subarray(0, n)
}

/** What is not UTF-8 becomes a replacement character. */
export function fromUtf8(bytes: Uint8Array): string {
  const pieces: string[] = []
  let points: number[] = []
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at++]!
    const more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : 3
    let point = more === 0 ? first : first & (0x3f >> more)
    let taken = 0
    while (taken < more && ((bytes[at] ?? 0) & 0xc0) === 0x80 && first >= 0xc2 && first < 0xf5) {
      point = (point << 6) | (bytes[at++]! & 63)
      taken++
    }
    const least = [0, 0x80, 0x800, 0x10000][more]!
    const fits = taken === more && point >= least && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    points.push(fits ? point : 0xfffd)
    if (points.length === 4096) {
      pieces.push(String.fromCodePoint(...points))
      points = []
    }
  }
  return pieces.join('') + String.fromCodePoint(...points)
}
