/**
 * Something that is followed, as it is now on this side: the server's view, moved by the same function as there. It is
 * asked for once, follows the stream, and takes it up again after every break where it was.
 *
 * - `view` is immutable; what an event did not change is the same object as before.
 * - It is followed while somebody listens or tools run here, and stands still when nobody does.
 * - What is live is dropped with the connection it came by: the gateway tells it anew.
 */
import type { StreamMessage } from '@holdpoint/protocol'
import { ClientTools, type ClientCalls, type ToolsOfClient } from './client-tools.ts'
import type { Connection } from './connection.ts'
import { HoldpointHttpError } from './http-error.ts'
import type { Http } from './http.ts'
import { Listeners } from './listeners.ts'
import type { Heard } from './open-sse.ts'
import { openStream } from './open-stream.ts'
import { passes, StreamBroken } from './passing.ts'
import { resuming } from './resuming.ts'

/** What is followed. */
export interface Subject<V> {
  readonly empty: V
  /** Of its stream. */
  readonly path: string
  /** Undefined when it is not there yet. */
  load(signal: AbortSignal): Promise<V | undefined>
  apply(view: V, message: StreamMessage): V
  /** Without what came by a connection that is gone. */
  atRest(view: V): V
  /** Calls that tools may be given for. */
  readonly calls?: ClientCalls<V>
  /** Names of tools whose calls are answered here by hand. */
  readonly answers?: readonly string[]
}

export class Live<V extends { readonly seq: number }> {
  /** Whether `view` is more than an empty one. */
  protected loaded = false
  readonly #http: Http
  readonly #subject: Subject<V>
  readonly #listeners = new Listeners<V>()
  #view: V
  #connection: Connection = { state: 'off' }
  #fresh = false
  #running: AbortController | undefined
  #poke: () => void = () => {}
  /** The connection, and the tools that the gateway was told of when it was opened. */
  #opened: { readonly tools: string; readonly cut: AbortController } | undefined
  readonly #tools: ClientTools<V> | undefined

  constructor(http: Http, subject: Subject<V>) {
    this.#http = http
    this.#subject = subject
    this.#view = subject.empty
    this.#tools = subject.calls && new ClientTools(subject.calls)
  }

  get view(): V {
    return this.#view
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Called after every change of `view` or `connection`. It is followed from the first listener on. */
  subscribe(listener: (view: V) => void): () => void {
    const remove = this.#listeners.add(listener)
    this.#startOrStop()
    return () => {
      remove()
      this.#startOrStop()
    }
  }

  /** Runs the held client calls of these names here. Returns what takes them away again. */
  tools(tools: ToolsOfClient): () => void {
    const remove = this.#tools?.add(tools)
    const changed = (): void => {
      this.#startOrStop()
      this.#offer()
    }
    changed()
    if (this.loaded) this.#tools?.look(this.#view)
    return () => {
      remove?.()
      changed()
    }
  }

  /** Tries at once, where it waits before coming again or has stopped. */
  reconnect(): void {
    if (this.#connection.state === 'stopped') this.#stop()
    this.#poke()
    this.#startOrStop()
  }

  /** Listens no more. What was begun by tools is told to stop. */
  close(): void {
    this.#tools?.clear()
    this.#listeners.clear()
    this.#stop()
  }

  protected show(view: V): void {
    if (view === this.#view) return
    this.#view = view
    this.#tell()
    this.#tools?.look(view)
  }

  #startOrStop(): void {
    if (this.#wanted && !this.#running) this.#start()
    // Not at once: a screen that is drawn anew leaves and comes back in the same breath.
    if (!this.#wanted) setTimeout(() => (this.#wanted ? undefined : this.#stop()), 0)
  }

  /** The gateway is told of tools when a stream is opened. All that changes in the same breath is told at once. */
  #offer(): void {
    setTimeout(() => {
      if (this.#opened && this.#opened.tools !== String(this.#names)) this.#opened.cut.abort(new ToolsChanged())
    }, 0)
  }

  get #wanted(): boolean {
    return this.#listeners.size > 0 || !!this.#tools?.names.length
  }

  get #names(): readonly string[] {
    return [...new Set([...(this.#subject.answers ?? []), ...(this.#tools?.names ?? [])])]
  }

  #start(): void {
    const running = new AbortController()
    this.#running = running
    this.#connection = { state: 'connecting' }
    this.#run(running.signal).catch((error: Error) => {
      if (!running.signal.aborted) this.#connected({ state: 'stopped', error })
    })
  }

  #stop(): void {
    if (!this.#running) return
    this.#running.abort()
    this.#running = undefined
    this.#connected({ state: 'off' })
  }

  async #run(signal: AbortSignal): Promise<void> {
    const leave = this.#http.answered.add(() => {
      const { error } = this.#connection as { readonly error?: Partial<HoldpointHttpError> }
      // Not where it was asked to come later.
      if (error && !error.status) this.#poke()
    })
    signal.addEventListener('abort', leave)
    const items = resuming(() => this.#once(signal), {
      signal,
      passes: (error) => passes(error) || isMissing(error),
      early: (now) => (this.#poke = now),
      onWait: (error, ms) => {
        if (error instanceof ToolsChanged) return this.#poke()
        this.#connected({ state: 'waiting', retryAt: Date.now() + ms, ...(error && !isMissing(error) && { error }) })
      },
    })
    for await (const { messages } of items) {
      if (signal.aborted) return
      this.#poke = () => {}
      if (messages.length > 0) this.show(this.#after(messages))
      if (this.#connection.state !== 'live') this.#connected({ state: 'live' })
    }
  }

  async *#once(signal: AbortSignal): AsyncGenerator<Heard<StreamMessage>> {
    if (this.#connection.state !== 'connecting') this.#connected({ state: 'connecting' })
    const { path } = this.#subject
    if (!this.loaded) {
      const view = await this.#subject.load(signal)
      if (!view) throw new HoldpointHttpError('It is not there yet.', { status: 404 })
      signal.throwIfAborted()
      this.loaded = true
      this.show(view)
    }
    this.#fresh = true
    const tools = this.#names
    const cut = new AbortController()
    this.#opened = { tools: String(tools), cut }
    const either = AbortSignal.any([signal, cut.signal])
    for await (const heard of openStream(this.#http, { path, after: this.#view.seq, signal: either, tools })) {
      if (heard.messages.some(({ kind }) => kind === 'reset')) {
        // The newest of it is asked for again, and not all that ever was.
        this.loaded = false
        throw new StreamBroken('The gateway has another log than before.')
      }
      yield heard
    }
  }

  #after(messages: readonly StreamMessage[]): V {
    const before = this.#fresh ? this.#subject.atRest(this.#view) : this.#view
    this.#fresh = false
    return messages.reduce((view, message) => this.#subject.apply(view, message), before)
  }

  #connected(connection: Connection): void {
    this.#connection = connection
    this.#tell()
  }

  #tell(): void {
    this.#listeners.tell(this.#view)
  }
}

/** Not a break: it is opened anew at once, and says what there is now. */
class ToolsChanged extends StreamBroken {}

function isMissing(error: unknown): boolean {
  return error instanceof HoldpointHttpError && error.status === 404
}
