/**
 * Hears that conversations changed, over one connection however many listen, and only while somebody does. A hint to look
 * again: it is given after every break, too.
 *
 * A page that nobody sees gives its connection up, since browsers allow few of them, and looks now and then instead.
 */
import { paths } from '@holdpoint/protocol'
import type { Connection } from './connection.ts'
import type { Http } from './http.ts'
import { Live } from './live.ts'

/** How often a page that nobody sees looks. */
const HIDDEN_MS = 30_000

export class Changes {
  /** There is nothing to see of it but that it is another one. */
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
    const turn = (): void => {
      leave()
      leave = begin()
    }
    page?.addEventListener('visibilitychange', turn)
    return () => {
      page?.removeEventListener('visibilitychange', turn)
      leave()
    }
  }
}
