/** The lines of a file, byte by byte: nothing is replaced and nothing is skipped. */

export interface FileLine {
  /** Undefined for bytes that are not UTF-8. */
  readonly text: string | undefined
  /** Whether a line feed follows. */
  readonly whole: boolean
}

const LINE_FEED = 10
/** A longer line does not fit into a string. */
const LONGEST = 256 * 1024 * 1024

export async function* fileLines(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<FileLine, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let pieces: Uint8Array[] = []
  let size = 0
  const take = (whole: boolean): FileLine => {
    const bytes = Buffer.concat(pieces)
    pieces = []
    size = 0
    try {
      return { text: decoder.decode(bytes), whole }
    } catch {
      return { text: undefined, whole }
    }
  }
  for await (const piece of file) {
    let from = 0
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, from)) {
      pieces.push(piece.subarray(from, end))
      yield take(true)
      from = end + 1
    }
    pieces.push(piece.subarray(from))
    size += piece.length - from
    if (size > LONGEST) return yield { text: undefined, whole: false }
  }
  if (size > 0) yield take(false)
}
