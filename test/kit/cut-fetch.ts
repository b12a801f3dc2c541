/** `fetch` whose connection breaks after a number of chunks, counted over all responses. */
export interface CutFetch {
  readonly fetch: typeof fetch
  /** How many chunks arrived. */
  readonly chunks: number
}

export interface CutFetchOptions {
  /** The chunks that arrive before the connection breaks, once. Default: it does not break. */
  readonly at?: number | undefined
  /** Happens before the client sees that the connection is broken. */
  readonly broken?: () => Promise<void>
}

export function cutFetch({ at = Infinity, broken }: CutFetchOptions): CutFetch {
  let chunks = 0
  let isOver = false
  return {
    get chunks() {
      return chunks
    },
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !reader) return response
      let rest = ''
      const next = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        for (;;) {
          const end = rest.indexOf('\n\n') + 2
          const event = end < 2 ? undefined : rest.slice(0, end)
          const isChunk = event?.startsWith('data: {') === true
          if (!isOver && chunks >= at && (event === undefined || isChunk)) {
            isOver = true
            void reader.cancel().catch(() => {})
            await broken?.()
            throw new TypeError('network error')
          }
          if (event !== undefined) {
            rest = rest.slice(end)
            if (isChunk) chunks++
            return controller.enqueue(new TextEncoder().encode(event))
          }
          const { done, value } = await reader.read()
          if (done) return controller.close()
          rest += value
        }
      }
      const body = new ReadableStream<Uint8Array>(
        { pull: next, cancel: (why) => reader.cancel(why) },
        { highWaterMark: 0 },
      )
      return new Response(body, { status: response.status, headers: response.headers })
    },
  }
}
