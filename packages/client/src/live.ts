/**
 * A live view of a conversation or a space. It loads the server's view once, then applies the events of the stream with
 * the same function as the server. After a lost connection it continues after the last event.
 *
 * - `view` is immutable, and parts that an event did not change stay the same objects.
 * - It is connected while there is a listener or a client tool.
 * - Frames are dropped with their connection. The gateway sends the current ones on the next connection.
 */
import type { StreamMessage } from '@holdpoint/protocol'
import { ClientTools, type ClientCalls, type ClientToolSet } from './client-tools.ts'
import type { Connection } from './connection.ts'
import { HoldpointHttpError } from './http-error.ts'
import type { Http } from './http.ts'
import { Listeners } from './listeners.ts'
import type { Received } from './open-sse.ts'
import { openStream } from './open-stream.ts'
import { isTemporary, StreamBroken } from './temporary-failure.ts'
import { resuming } from './resuming.ts'

/** How to load, update and answer one kind of view. */
export interface Subject<V> {
  readonly empty: V
  /** The path of its stream. */
  readonly path: string
  /** Undefined if the object does not exist yet. */
  load(signal: AbortSignal): Promise<V | undefined>
  apply(view: V, message: StreamMessage): V
  /** The view without frames. */
  atRest(view: V): V
  /** The client calls of the view. */
  readonly calls?: ClientCalls<V>
  /** Tools whose calls the user answers in a form. */
  readonly answers?: readonly string[]
}

export class Live<V extends { readonly seq: number }> {
  /** Whether `view` has been loaded. */
  protected loaded = false
  readonly #http: Http
  readonly #subject: Subject<V>
  readonly #listeners = new Listeners<V>()
  #view: V
  #connection: Connection = { state: 'off' }
  #fresh = false
  #running: AbortController | undefined
  #retryNow: () => void = () => {}
  /** The open connection, and the tool names that it announced. */
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

  /** Adds a listener for changes of `view` or `connection`. The first listener opens the connection. */
  subscribe(listener: (view: V) => void): () => void {
    const remove = this.#listeners.add(listener)
    this.#startOrStop()
    return () => {
      remove()
      this.#startOrStop()
    }
  }

  /** Runs held client calls with these tools. Returns a function that removes the tools. */
  tools(tools: ClientToolSet): () => void {
    const remove = this.#tools?.add(tools)
    const changed = (): void => {
      this.#startOrStop()
      this.#announceTools()
    }
    changed()
    if (this.loaded) this.#tools?.update(this.#view)
    return () => {
      remove?.()
      changed()
    }
  }

  /** Connects at once if it waits for a retry or has stopped. */
  reconnect(): void {
    if (this.#connection.state === 'stopped') this.#stop()
    this.#retryNow()
    this.#startOrStop()
  }

  /** Disconnects, removes all listeners, and aborts running client tools. */
  close(): void {
    this.#tools?.clear()
    this.#listeners.clear()
    this.#stop()
  }

  protected show(view: V): void {
    if (view === this.#view) return
    this.#view = view
    this.#tell()
    this.#tools?.update(view)
  }

  #startOrStop(): void {
    if (this.#wanted && !this.#running) this.#start()
    // In the next task: a component that is drawn again unsubscribes and subscribes in the same one.
    if (!this.#wanted) setTimeout(() => (this.#wanted ? undefined : this.#stop()), 0)
  }

  /** Tools are announced when a stream is opened, so a change needs a new one. Changes in the same task need only one. */
  #announceTools(): void {
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
      // If the gateway asked to retry later, wait.
      if (error && !error.status) this.#retryNow()
    })
    signal.addEventListener('abort', leave)
    const items = resuming(() => this.#once(signal), {
      signal,
      isTemporary: (error) => isTemporary(error) || isMissing(error),
      early: (now) => (this.#retryNow = now),
      onWait: (error, ms) => {
        if (error instanceof ToolsChanged) return this.#retryNow()
        this.#connected({ state: 'waiting', retryAt: Date.now() + ms, ...(error && !isMissing(error) && { error }) })
      },
    })
    for await (const { messages } of items) {
      if (signal.aborted) return
      this.#retryNow = () => {}
      if (messages.length > 0) this.show(this.#after(messages))
      if (this.#connection.state !== 'live') this.#connected({ state: 'live' })
    }
  }

  async *#once(signal: AbortSignal): AsyncGenerator<Received<StreamMessage>> {
    if (this.#connection.state !== 'connecting') this.#connected({ state: 'connecting' })
    const { path } = this.#subject
    if (!this.loaded) {
      const view = await this.#subject.load(signal)
      if (!view) throw new HoldpointHttpError('It does not exist yet.', { status: 404 })
      signal.throwIfAborted()
      this.loaded = true
      this.show(view)
    }
    this.#fresh = true
    const tools = this.#names
    const cut = new AbortController()
    this.#opened = { tools: String(tools), cut }
    const either = AbortSignal.any([signal, cut.signal])
    for await (const received of openStream(this.#http, { path, after: this.#view.seq, signal: either, tools })) {
      if (received.messages.some(({ kind }) => kind === 'reset')) {
        // Load the newest part of the new log, instead of applying the whole log.
        this.loaded = false
        throw new StreamBroken('The gateway has a different log than before.')
      }
      yield received
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

/** Not a failure: the stream is opened again at once, with the new tools. */
class ToolsChanged extends StreamBroken {}

function isMissing(error: unknown): boolean {
  return error instanceof HoldpointHttpError && error.status === 404
}
