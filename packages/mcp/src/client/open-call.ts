/**
 * An open request to a legacy server. Such a server asks its questions during the request and waits for the answers. So the
 * request outlives the handler that started it, and a later run of the handler finds it by a token. It does not survive the
 * process: if there is no request for a token, it is lost.
 */
import type { CallToolResult } from '@modelcontextprotocol/client'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { ElicitAnswer, ElicitRequest } from './elicitation.ts'
import type { Connection } from './connector.ts'
import { LIMITS } from './limits.ts'

export type Next =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'question'; readonly asked: ElicitRequest }

type Perform = (signal: AbortSignal, progress: (value: unknown) => void) => Promise<CallToolResult>

/** The call that a question belongs to: the question arrives on the stream that answers the call. */
const currentCall = new AsyncLocalStorage<OpenCall>()

export class OpenCall {
  readonly token: string = randomUUID()
  readonly connection: Connection
  progress: (value: unknown) => void = () => {}
  readonly #controller = new AbortController()
  readonly #done: Promise<Next>
  #questions = 0
  #asked: { readonly asked: ElicitRequest; readonly answer: (answer: ElicitAnswer) => void }[] = []
  #arrived: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(connection: Connection, perform: Perform) {
    this.connection = connection
    this.#done = currentCall
      .run(this, () => connection.use(() => perform(this.#controller.signal, (value) => this.progress(value))))
      .then(
        (result): Next => ({ kind: 'result', result }),
        (error: unknown): Next => ({ kind: 'failed', error }),
      )
  }

  /** The result or the next question. A question stays the next one until it is answered. */
  async next(): Promise<Next> {
    for (;;) {
      const [first] = this.#asked
      if (first) return { kind: 'question', asked: first.asked }
      const next = await Promise.race([this.#done, this.#arrived.promise])
      if (next) return next
    }
  }

  /** The server asks a question. Resolves with the person's answer, perhaps much later. */
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

  abort(): void {
    for (const { answer } of this.#asked) answer({ action: 'cancel' })
    this.#asked = []
    this.#controller.abort()
  }
}

/** The open requests of this process. */
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

  on(connection: Connection): readonly OpenCall[] {
    return this.all().filter((call) => call.connection === connection)
  }

  /** The call of the question that just arrived. Undefined if it cannot be determined. */
  asking(connection: Connection): OpenCall | undefined {
    const known = currentCall.getStore()
    if (known) return known
    const [only, ...more] = this.on(connection)
    return more.length === 0 ? only : undefined
  }

  abortAll(): void {
    for (const call of this.#byToken.values()) call.abort()
    this.#byToken.clear()
  }
}
