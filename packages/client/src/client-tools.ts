/**
 * Tools that run where the client is: a held `client` call of a known name is run here, once per page, and answered. In
 * two tabs both run it and the first answer counts; the other is told so, which is no error.
 */
import { holdsOf, type View, type ViewHold } from '@holdpoint/core/view'
import type { Json, ResolveAnswer } from '@holdpoint/core'
import { wrongWithClientTools } from '@holdpoint/protocol'
import { answerWithin } from './answer-within.ts'
import type { Holds } from './holds.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import type { Ran } from './ran.ts'

export interface ClientToolContext {
  readonly call: ViewHold & { readonly conversationId: string }
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

export class ClientTools {
  readonly #holds: Holds
  readonly #id: string
  readonly #tools = new Map<string, ClientTool>()
  readonly #running = new Map<string, AbortController>()
  readonly #ran: Ran
  readonly #closed = new AbortController()

  constructor(holds: Holds, id: string, ran: Ran) {
    this.#holds = holds
    this.#id = id
    this.#ran = ran
  }

  get size(): number {
    return this.#tools.size
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  add(tools: ToolsOfClient): () => void {
    const entries = Object.entries(tools)
    const taken = entries.find(([name]) => this.#tools.has(name))
    if (taken) throw new TypeError(`There is a client tool "${taken[0]}" on this conversation already.`)
    // The gateway would refuse the stream of a page that says anything else.
    const wrong = wrongWithClientTools([...this.#tools.keys(), ...Object.keys(tools)])
    if (wrong !== undefined) throw new TypeError(wrong)
    for (const [name, tool] of entries) this.#tools.set(name, tool)
    return () => {
      for (const [name, tool] of entries) if (this.#tools.get(name) === tool) this.#tools.delete(name)
    }
  }

  /** Runs what waits, and stops what waits no more. */
  look(view: View): void {
    const open = new Map(holdsOf(view).map((hold) => [this.#key(hold), hold]))
    for (const [key, running] of this.#running) if (!open.has(key)) running.abort(over())
    for (const [key, hold] of open) {
      const tool = hold.kind === 'client' ? this.#tools.get(hold.name) : undefined
      if (!tool || !this.#ran.first(key)) continue
      void this.#run(key, hold, tool)
    }
  }

  clear(): void {
    this.#tools.clear()
    for (const running of this.#running.values()) running.abort(over())
    this.#closed.abort(over())
  }

  async #run(key: string, hold: ViewHold, tool: ClientTool): Promise<void> {
    const running = new AbortController()
    this.#running.set(key, running)
    const { signal } = running
    const context = { call: { ...hold, conversationId: this.#id }, signal }
    try {
      const outcome = await outcomeOf(() => tool.run(hold.input, context))
      const answer = await this.#give(hold, outcome)
      // The model can do something about it, if it is told.
      const bad = answer.verdict === 'invalid' && !('error' in outcome)
      const told = bad ? await this.#give(hold, { error: answer.message }) : answer
      tool.onAnswer?.(told, context)
    } catch (error) {
      if (!this.#closed.signal.aborted) tool.onError?.(error as Error, context)
    } finally {
      this.#running.delete(key)
    }
  }

  /** Not under the handler's signal: the stream may say that the call is settled before our own answer comes back. */
  #give({ callId, nth }: ViewHold, outcome: Outcome): Promise<ResolveAnswer> {
    const { signal } = this.#closed
    return answerWithin(signal, (key) =>
      this.#holds.resolve(this.#id, callId, { kind: 'answer', ...outcome }, { signal, key, hold: nth }),
    )
  }

  #key({ callId, nth }: ViewHold): string {
    return JSON.stringify([this.#id, callId, nth])
  }
}

function over(): DOMException {
  return new DOMException('The answer is no longer wanted.', 'AbortError')
}
