/**
 * Notifies listeners that some conversation changed, so that they load again. All listeners share one connection, which is
 * open while there is a listener. After a lost connection the listeners are called too.
 *
 * Browsers allow few connections per host. So a hidden page closes its connection and calls its listeners regularly.
 */
import { paths } from '@holdpoint/protocol'
import type { Connection } from './connection.ts'
import type { Http } from './http.ts'
import { Live } from './live.ts'

/** How often a hidden page calls its listeners. */
const HIDDEN_MS = 30_000

export class Changes {
  /** The view has no data: each change makes a new object. */
  readonly #live: Live<{ readonly seq: 0 }>

  constructor(http: Http) {
    this.#live = new Live(http, {
      empty: { seq: 0 },
      path: paths.changes(),
      load: async () => ({ seq: 0 }),
      apply: () => ({ seq: 0 }),
      atRest: (view) => view,
    })
  }

  get connection(): Connection {
    return this.#live.connection
  }

  subscribe(listener: () => void): () => void {
    const { document: page } = globalThis as { readonly document?: EventTarget & { readonly hidden: boolean } }
    const begin = (): (() => void) => {
      if (!page?.hidden) return this.#live.subscribe(listener)
      const timer = setInterval(listener, HIDDEN_MS)
      return () => clearInterval(timer)
    }
    let leave = begin()
    const restart = (): void => {
      leave()
      leave = begin()
    }
    page?.addEventListener('visibilitychange', restart)
    return () => {
      page?.removeEventListener('visibilitychange', restart)
      leave()
    }
  }
}
