/** Answers with lines of JSON, made while the client takes them, so that memory does not grow with their number. */
import type { GatewayServices } from '../gateway-services.ts'
import type { RouteAnswer } from './route-answer.ts'
import type { TextSink, TextStream } from './text-stream.ts'

export function answerOfLines(
  lines: AsyncGenerator<object>,
  { redact, problem }: Pick<GatewayServices, 'redact' | 'problem'>,
): RouteAnswer {
  return answerOfText(
    mapped(lines, (line) => redact(JSON.stringify(line))),
    { problem },
  )
}

/** For lines that are text already, without secrets. */
export function answerOfText(
  lines: AsyncGenerator<string>,
  { problem }: Pick<GatewayServices, 'problem'>,
): RouteAnswer {
  return { stream: streamOfLines(lines, problem), headers: { 'content-type': 'application/x-ndjson' } }
}

async function* mapped<T>(items: AsyncGenerator<T>, map: (item: T) => string): AsyncGenerator<string> {
  for await (const item of items) yield map(item)
}

/** Asks for the next line only when the client can take it. */
export function streamOfLines(lines: AsyncGenerator<string>, failed: (error: unknown) => void): TextStream {
  let sink: TextSink | undefined
  let [wanted, writing, over] = [false, false, false]
  const write = async (): Promise<void> => {
    if (writing) return
    writing = true
    try {
      while (wanted && !over) {
        const { done, value } = await lines.next()
        if (over) return
        if (done) {
          over = true
          sink?.end('')
          return
        }
        wanted = false
        if (sink?.write(`${value}\n`)) wanted = true
      }
    } catch (error) {
      over = true
      failed(error)
      sink?.fail(error)
    } finally {
      writing = false
    }
  }
  return {
    start: (to) => {
      sink = to
    },
    pull: () => {
      wanted = true
      void write()
    },
    cancel: () => {
      over = true
      void lines.return(undefined)
    },
  }
}
