/** Reads the body of a response as text. */

export async function* readPieces(response: Response): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let over = false
  try {
    while (!over) {
      const { done, value } = await reader.read()
      over = done
      const text = decoder.decode(value, { stream: !done })
      // An empty piece shows that the connection is alive.
      yield text
    }
  } finally {
    if (!over) await reader.cancel().catch(() => undefined)
  }
}

export async function readText(response: Response, maxChars: number): Promise<string> {
  const pieces: string[] = []
  let size = 0
  for await (const piece of readPieces(response)) {
    size += piece.length
    if (size > maxChars) throw new RangeError(`The response is larger than ${maxChars} characters.`)
    pieces.push(piece)
  }
  return pieces.join('')
}
