/** The differences between two texts, word by word. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Longer texts are compared as a whole: the table of the comparison grows with the product of both lengths. */
const MOST_WORDS = 600

export function wordDiff(before: string, after: string): readonly Piece[] {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  if (a.length > MOST_WORDS || b.length > MOST_WORDS)
    return joined([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ])
  const common = commonLengths(a, b)
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [word, other] = [a[i], b[j]]
    if (word !== undefined && word === other) {
      pieces.push({ kind: 'same', text: word })
      i++
      j++
    } else if (word !== undefined && (other === undefined || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      pieces.push({ kind: 'removed', text: word })
      i++
    } else {
      pieces.push({ kind: 'added', text: other ?? '' })
      j++
    }
  }
  return joined(pieces)
}

/** Words with the space after each. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

/** The length of the longest common sequence of words after each pair of places. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const rows = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      rows[i]![j] = a[i] === b[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!)
  return rows
}

function joined(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = []
  for (const piece of pieces) {
    if (piece.text === '') continue
    const last = found.at(-1)
    if (last?.kind === piece.kind) found[found.length - 1] = { ...last, text: last.text + piece.text }
    else found.push(piece)
  }
  return found
}
