/**
 * Hears of every conversation that changes, over one connection however many listen, and only while somebody does. A
 * hint to look again: after every break, and whenever more changed than is told one by one, everything is meant.
 *
 * A page that nobody sees gives its connection up, since browsers allow few of them, and looks now and then instead.
 */
import { decodeChange, paths, type Change } from '@holdpoint/protocol'
import type { Connection } from './connection.ts'
import type { Http } from './http.ts'
import { Listeners } from './listeners.ts'
import { openSse } from './open-sse.ts'
import { resuming } from './resuming.ts'

/** How often a page that nobody sees looks. */
const HIDDEN_MS = 30_000

export class Changes {
  readonly #http: Http
  readonly #listeners = new Listeners<Change>()
  #connection: Connection = { state: 'off' }
  #stop: (() => void) | undefined

  constructor(http: Http) {
    this.#http = http
  }

  get connection(): Connection {
    return this.#connection
  }

  subscribe(listener: (change: Change) => void): () => void {
    const remove = this.#listeners.add(listener)
    this.#startOrStop()
    return () => {
      remove()
      // Not at once: a screen that is drawn anew leaves and comes back in the same breath.
      setTimeout(() => this.#startOrStop(), 0)
    }
  }

  /** As if everything had changed. */
  look(): void {
    this.#listeners.tell({})
  }

  #startOrStop(): void {
    const wanted = this.#listeners.size > 0
    if (wanted && !this.#stop) this.#start()
    if (!wanted) this.#stop?.()
  }

  #start(): void {
    const { document: page } = globalThis as { readonly document?: EventTarget & { readonly hidden: boolean } }
    let leave = page?.hidden ? this.#poll() : this.#follow()
    const turn = (): void => {
      leave()
      leave = page?.hidden ? this.#poll() : this.#follow()
    }
    page?.addEventListener('visibilitychange', turn)
    this.#stop = () => {
      page?.removeEventListener('visibilitychange', turn)
      leave()
      this.#stop = undefined
      this.#connection = { state: 'off' }
    }
  }

  #poll(): () => void {
    const timer = setInterval(() => this.look(), HIDDEN_MS)
    return () => clearInterval(timer)
  }

  #follow(): () => void {
    const over = new AbortController()
    this.#connection = { state: 'connecting' }
    this.#run(over.signal).catch((error: Error) => {
      if (!over.signal.aborted) this.#connected({ state: 'stopped', error })
    })
    return () => over.abort()
  }

  async #run(signal: AbortSignal): Promise<void> {
    let poke = (): void => {}
    const online = (): void => poke()
    // Browsers say when the network is back. Node has no such thing.
    const host = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>
    host.addEventListener?.('online', online, { signal })
    const open = (): ReturnType<typeof openSse<Change>> =>
      openSse(this.#http, { path: paths.changes(), signal, read: decodeChange })
    const items = resuming(open, {
      signal,
      early: () => new Promise<void>((resolve) => (poke = resolve)),
      onWait: (error, ms) => this.#connected({ state: 'waiting', retryAt: Date.now() + ms, ...(error && { error }) }),
    })
    for await (const { messages } of items) {
      if (signal.aborted) return
      if (this.#connection.state !== 'live') this.#connected({ state: 'live' })
      for (const change of messages) this.#listeners.tell(change)
    }
  }

  /** What changed while nobody was heard is not known. */
  #connected(connection: Connection): void {
    this.#connection = connection
    this.look()
  }
}
