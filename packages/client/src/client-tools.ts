/**
 * Tools that run where the client is: a held `client` call of a known name is run here, once per page, and answered. In
 * two tabs both run it and the first answer counts; the other is told so, which is no error.
 */
import type { Json, ResolveAnswer } from '@holdpoint/core'
import { clientToolsError } from '@holdpoint/protocol'
import { answerWithin } from './answer-within.ts'
import type { RequestOptions } from './http.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import type { Ran } from './ran.ts'

/** A call that waits for a client. */
export interface ClientCall {
  readonly callId: string
  readonly name: string
  /** What it runs with, as whoever approved it left it. */
  readonly input: Json
  /** Which of the call's holds it is. */
  readonly nth: number
}

export interface ClientToolContext {
  /** Where it was met: in a conversation, or shown in a space. */
  readonly call: ClientCall & { readonly conversationId?: string; readonly spaceId?: string }
  /** Aborted when the answer is no longer wanted: somebody else gave one, the turn was cancelled, time is over. */
  readonly signal: AbortSignal
}

export interface ClientTool {
  /** What it returns is the result, what it throws the reason why there is none. */
  run(input: Json, context: ClientToolContext): unknown
  /** What became of the answer. */
  onAnswer?(answer: ResolveAnswer, context: ClientToolContext): void
  /** The answer could not be given at all. */
  onError?(error: Error, context: ClientToolContext): void
}

export type ToolsOfClient = Readonly<Record<string, ClientTool>>

/** Where calls of clients come from, and where answers go. */
export interface ClientCalls<V> {
  readonly ran: Ran
  readonly where: { readonly conversationId: string } | { readonly spaceId: string }
  held(view: V): readonly ClientCall[]
  answer(call: ClientCall, outcome: Outcome, options: RequestOptions): Promise<ResolveAnswer>
}

export class ClientTools<V> {
  readonly #calls: ClientCalls<V>
  readonly #tools = new Map<string, ClientTool>()
  readonly #running = new Map<string, AbortController>()
  readonly #closed = new AbortController()

  constructor(calls: ClientCalls<V>) {
    this.#calls = calls
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  add(tools: ToolsOfClient): () => void {
    const entries = Object.entries(tools)
    const taken = entries.find(([name]) => this.#tools.has(name))
    if (taken) throw new TypeError(`There is a client tool "${taken[0]}" here already.`)
    // The gateway would refuse the stream of a page that says anything else.
    const wrong = clientToolsError([...this.#tools.keys(), ...Object.keys(tools)])
    if (wrong !== undefined) throw new TypeError(wrong)
    for (const [name, tool] of entries) this.#tools.set(name, tool)
    return () => {
      for (const [name, tool] of entries) if (this.#tools.get(name) === tool) this.#tools.delete(name)
    }
  }

  /** Runs what waits, and stops what waits no more. */
  look(view: V): void {
    const { held, ran, where } = this.#calls
    const open = new Map(held(view).map((call) => [JSON.stringify([where, call.callId, call.nth]), call]))
    for (const [key, running] of this.#running) if (!open.has(key)) running.abort(over())
    for (const [key, call] of open) {
      const tool = this.#tools.get(call.name)
      if (tool && ran.first(key)) void this.#run(key, call, tool)
    }
  }

  clear(): void {
    this.#tools.clear()
    for (const running of this.#running.values()) running.abort(over())
    this.#closed.abort(over())
  }

  async #run(key: string, call: ClientCall, tool: ClientTool): Promise<void> {
    const running = new AbortController()
    this.#running.set(key, running)
    const { signal } = running
    const context = { call: { ...call, ...this.#calls.where }, signal }
    try {
      const outcome = await outcomeOf(() => tool.run(call.input, context))
      const answer = await this.#give(call, outcome)
      // The model can do something about it, if it is told.
      const bad = answer.verdict === 'invalid' && !('error' in outcome)
      const told = bad ? await this.#give(call, { error: answer.message }) : answer
      tool.onAnswer?.(told, context)
    } catch (error) {
      if (!this.#closed.signal.aborted) tool.onError?.(error as Error, context)
    } finally {
      this.#running.delete(key)
    }
  }

  /** Not under the handler's signal: the stream may say that the call is settled before our own answer comes back. */
  #give(call: ClientCall, outcome: Outcome): Promise<ResolveAnswer> {
    const { signal } = this.#closed
    return answerWithin(signal, (key) => this.#calls.answer(call, outcome, { signal, key }))
  }
}

function over(): DOMException {
  return new DOMException('The answer is no longer wanted.', 'AbortError')
}
