/**
 * A call that is under way on the line to an older server. Such a server asks its questions while the call is open, and
 * waits on the line for the answers; so the call outlives the handler that began it, and the handler comes back to it by a
 * token. It does not outlive the process: whoever finds no call for a token knows that it is lost.
 */
import type { CallToolResult } from '@modelcontextprotocol/client'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { ElicitAnswer, ElicitRequest } from './elicitation.ts'
import type { Line } from './connection.ts'
import { LIMITS } from './limits.ts'

export type Next =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'question'; readonly asked: ElicitRequest }

type Perform = (signal: AbortSignal, progress: (value: unknown) => void) => Promise<CallToolResult>

/** Which call a question belongs to: it comes on the very stream that answers the call. */
const onWhoseBehalf = new AsyncLocalStorage<OpenCall>()

export class OpenCall {
  readonly token: string = randomUUID()
  readonly line: Line
  progress: (value: unknown) => void = () => {}
  readonly #controller = new AbortController()
  readonly #done: Promise<Next>
  #questions = 0
  #asked: { readonly asked: ElicitRequest; readonly answer: (answer: ElicitAnswer) => void }[] = []
  #arrived: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(line: Line, perform: Perform) {
    this.line = line
    this.#done = onWhoseBehalf
      .run(this, () => line.use(() => perform(this.#controller.signal, (value) => this.progress(value))))
      .then(
        (result): Next => ({ kind: 'result', result }),
        (error: unknown): Next => ({ kind: 'failed', error }),
      )
  }

  /** What there is to do next. A question stays the next thing until it is answered. */
  async next(): Promise<Next> {
    for (;;) {
      const [first] = this.#asked
      if (first) return { kind: 'question', asked: first.asked }
      const next = await Promise.race([this.#done, this.#arrived.promise])
      if (next) return next
    }
  }

  /** The server asks: resolves with what a person says, whenever that is. */
  ask(asked: ElicitRequest): Promise<ElicitAnswer> {
    if (++this.#questions > LIMITS.questions) return Promise.resolve({ action: 'cancel' })
    return new Promise((resolve) => {
      this.#asked.push({ asked, answer: resolve })
      this.#arrived.resolve()
      this.#arrived = Promise.withResolvers()
    })
  }

  answer(answer: ElicitAnswer): void {
    this.#asked.shift()?.answer(answer)
  }

  /** Nobody wants it any more. */
  abort(): void {
    for (const { answer } of this.#asked) answer({ action: 'cancel' })
    this.#asked = []
    this.#controller.abort()
  }
}

/** The calls that are open in this process. */
export class OpenCalls {
  readonly #byToken = new Map<string, OpenCall>()

  add(call: OpenCall): void {
    this.#byToken.set(call.token, call)
  }

  get(token: string): OpenCall | undefined {
    return this.#byToken.get(token)
  }

  remove({ token }: OpenCall): void {
    this.#byToken.delete(token)
  }

  all(): readonly OpenCall[] {
    return [...this.#byToken.values()]
  }

  on(line: Line): readonly OpenCall[] {
    return this.all().filter((call) => call.line === line)
  }

  /** Whose question it is that just came; undefined when that cannot be told. */
  asking(line: Line): OpenCall | undefined {
    const known = onWhoseBehalf.getStore()
    if (known) return known
    const [only, ...more] = this.on(line)
    return more.length === 0 ? only : undefined
  }

  abortAll(): void {
    for (const call of this.#byToken.values()) call.abort()
    this.#byToken.clear()
  }
}
