/** The body of a request; undefined when it is larger than `most` bytes, of which no more is read. */
export async function readText(request: Request, most: number): Promise<string | undefined> {
  if (!request.body) return ''
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body) {
    size += part.length
    if (size > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
