/**
 * The state of a live conversation or space for React: immutable, and the same object until something changes. While a
 * component uses it, the client tools of the page run for its calls.
 */
import type { LiveConversation, LiveSpace, ClientToolSet } from '@holdpoint/client'

export class LiveStore<L extends LiveConversation | LiveSpace, S extends Pick<L, 'view' | 'connection'>> {
  /** The state before the first data, for server rendering and hydration. */
  readonly initial: S
  readonly #live: L
  readonly #tools: () => ClientToolSet
  readonly #stateOf: (before: S | undefined) => S
  #listeners = 0
  #state: S
  #removeTools: (() => void) | undefined
  #offered = ''

  constructor(live: L, tools: () => ClientToolSet, stateOf: (before: S | undefined) => S) {
    this.#live = live
    this.#tools = tools
    this.#stateOf = stateOf
    this.initial = stateOf(undefined)
    this.#state = this.initial
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const leave = this.#live.subscribe(listener)
    this.#listeners++
    this.offerTools()
    return () => {
      leave()
      this.#listeners--
      this.offerTools()
    }
  }

  readonly read = (): S => {
    const { view, connection } = this.#live
    const { view: seen, connection: was } = this.#state
    if (seen !== view || was !== connection) this.#state = this.#stateOf(this.#state)
    return this.#state
  }

  /** Registers the tools only while a component is mounted: a page must not run calls of a conversation that it left. */
  offerTools(): void {
    const names = this.#listeners > 0 ? Object.keys(this.#tools()) : []
    const offered = JSON.stringify(names)
    if (offered === this.#offered) return
    this.#offered = offered
    this.#removeTools?.()
    this.#removeTools = names.length > 0 ? this.#live.tools(Object.fromEntries(names.map(this.#latest))) : undefined
  }

  readonly #latest = (name: string): [string, ClientToolSet[string]] => {
    const now = (): ClientToolSet[string] | undefined => this.#tools()[name]
    return [
      name,
      {
        run: async (input, context) => now()?.run(input, context),
        onAnswer: (answer, context) => now()?.onAnswer?.(answer, context),
        onError: (error, context) => now()?.onError?.(error, context),
      },
    ]
  }
}
