/**
 * Client tools: each held `client` call with a registered name runs in this client, once per page, and is answered. If two
 * tabs are open, both run it, and the first answer counts. The other tab gets the verdict `conflict`, not an error.
 */
import type { Json, ResolveResult } from '@holdpoint/core'
import { clientToolsError } from '@holdpoint/protocol'
import { retryUntilAborted } from './retry-until-aborted.ts'
import type { RequestOptions } from './http.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import type { StartedHolds } from './started-holds.ts'

/** A call that waits for a client. */
export interface ClientCall {
  readonly callId: string
  readonly name: string
  /** The input to run with, including changes by an approver. */
  readonly input: Json
  /** The number of the hold, from 1: a call can be held several times. */
  readonly nth: number
}

export interface ClientToolContext {
  /** The call, and the conversation or the space in which this client found it. */
  readonly call: ClientCall & { readonly conversationId?: string; readonly spaceId?: string }
  /** Aborted when the call no longer waits: another client answered, the turn was cancelled, or the call expired. */
  readonly signal: AbortSignal
}

export interface ClientTool {
  /** Returns the result. The message of a thrown error is the failure that the model reads. */
  run(input: Json, context: ClientToolContext): unknown
  /** Called with the verdict on the answer. */
  onAnswer?(answer: ResolveResult, context: ClientToolContext): void
  /** Called if the answer could not be sent. */
  onError?(error: Error, context: ClientToolContext): void
}

export type ClientToolSet = Readonly<Record<string, ClientTool>>

/** Finds the held client calls of a view and answers them. */
export interface ClientCalls<V> {
  readonly started: StartedHolds
  readonly where: { readonly conversationId: string } | { readonly spaceId: string }
  held(view: V): readonly ClientCall[]
  answer(call: ClientCall, outcome: Outcome, options: RequestOptions): Promise<ResolveResult>
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

  add(tools: ClientToolSet): () => void {
    const entries = Object.entries(tools)
    const taken = entries.find(([name]) => this.#tools.has(name))
    if (taken)
      throw new TypeError(`The client tool "${taken[0]}" is already registered. Remove it first, or use another name.`)
    // The gateway refuses a stream with invalid names.
    const wrong = clientToolsError([...this.#tools.keys(), ...Object.keys(tools)])
    if (wrong !== undefined) throw new TypeError(wrong)
    for (const [name, tool] of entries) this.#tools.set(name, tool)
    return () => {
      for (const [name, tool] of entries) if (this.#tools.get(name) === tool) this.#tools.delete(name)
    }
  }

  /** Runs new held calls, and aborts handlers of calls that no longer wait. */
  update(view: V): void {
    const { held, started, where } = this.#calls
    const open = new Map(held(view).map((call) => [JSON.stringify([where, call.callId, call.nth]), call]))
    for (const [key, running] of this.#running) if (!open.has(key)) running.abort(over())
    for (const [key, call] of open) {
      const tool = this.#tools.get(call.name)
      if (tool && started.first(key)) void this.#run(key, call, tool)
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
      const answer = await this.#post(call, outcome)
      // The model reads why the result was invalid, and can react.
      const bad = answer.verdict === 'invalid' && !('error' in outcome)
      const final = bad ? await this.#post(call, { error: answer.message }) : answer
      tool.onAnswer?.(final, context)
    } catch (error) {
      if (!this.#closed.signal.aborted) tool.onError?.(error as Error, context)
    } finally {
      this.#running.delete(key)
    }
  }

  /** Does not use the handler's signal: the stream may report the call as settled before our own verdict arrives. */
  #post(call: ClientCall, outcome: Outcome): Promise<ResolveResult> {
    const { signal } = this.#closed
    return retryUntilAborted(signal, (key) => this.#calls.answer(call, outcome, { signal, key }))
  }
}

function over(): DOMException {
  return new DOMException('The call no longer waits for an answer.', 'AbortError')
}
