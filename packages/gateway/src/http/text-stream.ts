/**
 * A response body of text that comes piece by piece. A server that can (`Peer.stream`) writes it to the client's socket
 * directly: a web stream costs several promises and two copies of each piece.
 */
export interface TextStream {
  /** The response has started. Called once, before `pull`. */
  start(sink: TextSink): void
  /** The client can take more. */
  pull(): void
  /** The client disconnected. */
  cancel(): void
}

export interface TextSink {
  /** False: no more until `pull` is called. */
  write(text: string): boolean
  /** Ends the body with this text. */
  end(text: string): void
  fail(error: unknown): void
}

export function toWebStream(source: TextStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) =>
      source.start({
        write: (text) => {
          controller.enqueue(encoder.encode(text))
          return (controller.desiredSize ?? 0) > 0
        },
        end: (text) => {
          if (text !== '') controller.enqueue(encoder.encode(text))
          controller.close()
        },
        fail: (error) => controller.error(error),
      }),
    pull: () => source.pull(),
    cancel: () => source.cancel(),
  })
}

const encoder = new TextEncoder()
