/** A file as a response. The hash is checked while the bytes are sent: a file that was changed on the disk breaks off. */
import type { StoredFile } from '@holdpoint/runtime'
import type { RouteAnswer } from './route-answer.ts'

/** Pictures that cannot have code. SVG can. */
const SHOWN: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

export function fileAnswer(
  file: StoredFile,
  bytes: AsyncIterable<Uint8Array>,
  problem: (error: unknown) => void,
): RouteAnswer {
  const { mediaType, bytes: size, sha256, name = 'file' } = file
  const headers = {
    'content-type': mediaType,
    'content-length': String(size),
    'content-disposition': `${SHOWN.includes(mediaType) ? 'inline' : 'attachment'}; ${fileNames(name)}`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'private, no-cache',
    etag: `"${sha256}"`,
  }
  return { response: new Response(streamOf(bytes, problem), { headers }) }
}

/** The name in ASCII for old clients, and as it is for others (RFC 6266). */
function fileNames(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  return `filename="${plain}"; filename*=UTF-8''${exact}`
}

function streamOf(bytes: AsyncIterable<Uint8Array>, problem: (error: unknown) => void): ReadableStream<Uint8Array> {
  const reading = bytes[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reading.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        problem(error)
        controller.error(error)
      }
    },
    cancel: async () => {
      await reading.return?.()
    },
  })
}
