/** The body of an upload, piece by piece, so that a large one is refused before it is in memory. */
import { refuse, type RouteAnswer } from './route-answer.ts'

/** The client disconnected before the end of the body. */
export class UploadBroken extends Error {
  constructor(cause?: unknown) {
    super('The upload ended early. Send the file again.', { cause })
  }
}

export function uploadedBytes(request: Request, maxBytes: number): AsyncIterable<Uint8Array> | RouteAnswer {
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return refuse('content-type', 'Compressed bodies are not accepted. Send the body without a Content-Encoding.')
  const header = request.headers.get('content-length')
  const declared = header === null ? undefined : Number(header)
  if (declared !== undefined && !(declared <= maxBytes))
    return refuse('too-large', `A file may have at most ${maxBytes} bytes.`, { headers: { connection: 'close' } })
  return pieces(request, declared)
}

async function* pieces(request: Request, declared: number | undefined): AsyncGenerator<Uint8Array> {
  let size = 0
  const body = (request.body ?? []) as AsyncIterable<Uint8Array>
  const reading = body[Symbol.asyncIterator]?.() ?? [][Symbol.iterator]()
  try {
    for (;;) {
      const { done, value } = await Promise.resolve(reading.next()).catch((error: unknown) => {
        throw new UploadBroken(error)
      })
      if (done === true) break
      size += value.length
      yield value
    }
    if (declared !== undefined && size !== declared) throw new UploadBroken()
  } finally {
    await reading.return?.(undefined)
  }
}
