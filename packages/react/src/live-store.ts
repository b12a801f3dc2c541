/**
 * Something that is followed, as React reads it: one immutable state, the same object until something changed. While
 * a component shows it, the tools of the page run for it.
 */
import type { LiveConversation, LiveSpace, ToolsOfClient } from '@holdpoint/client'

export class LiveStore<L extends LiveConversation | LiveSpace, S extends Pick<L, 'view' | 'connection'>> {
  /** Before anything was heard: what a server draws, and what a page must begin with where a server drew it. */
  readonly initial: S
  readonly #live: L
  readonly #tools: () => ToolsOfClient
  readonly #stateOf: (before: S | undefined) => S
  #listeners = 0
  #state: S
  #removeTools: (() => void) | undefined
  #offered = ''

  constructor(live: L, tools: () => ToolsOfClient, stateOf: (before: S | undefined) => S) {
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

  /** Only while a component shows it: a call must not run on a page that no longer shows where it is. */
  offerTools(): void {
    const names = this.#listeners > 0 ? Object.keys(this.#tools()) : []
    const offered = JSON.stringify(names)
    if (offered === this.#offered) return
    this.#offered = offered
    this.#removeTools?.()
    this.#removeTools = names.length > 0 ? this.#live.tools(Object.fromEntries(names.map(this.#latest))) : undefined
  }

  readonly #latest = (name: string): [string, ToolsOfClient[string]] => {
    const now = (): ToolsOfClient[string] | undefined => this.#tools()[name]
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
