/**
 * A conversation as it is now, on this side: the server's view, moved by the same function as there. It begins with the
 * newest turns, follows the stream, and takes it up again after every break where it was.
 *
 * - `view` is immutable; what an event did not change is the same object as before.
 * - It is followed while somebody listens or offers tools, and stands still when nobody does.
 * - What is live is dropped with the connection it came by: the gateway tells it anew.
 */
import type { ResolveAnswer, Resolution, UserPart } from '@holdpoint/core'
import { applyEvent, applyFrame, emptyView, type View } from '@holdpoint/core/view'
import type { StreamMessage } from '@holdpoint/protocol'
import type { Refused } from './answers.ts'
import type { Connection } from './connection.ts'
import { ClientTools, type ToolsOfClient } from './client-tools.ts'
import type { Conversations, SendAnswer, SendOptions } from './conversations.ts'
import { earlier } from './earlier.ts'
import { Listeners } from './listeners.ts'
import type { Holds, ResolveOptions } from './holds.ts'
import { HoldpointHttpError } from './http-error.ts'
import type { Http, RequestOptions } from './http.ts'
import type { Heard } from './open-sse.ts'
import { openStream } from './open-stream.ts'
import { passes, StreamBroken } from './passing.ts'
import type { Ran } from './ran.ts'
import { resuming } from './resuming.ts'

export interface LiveOptions {
  /** How many of the newest turns it begins with; 20 unless said. */
  readonly turns?: number
}

export interface LiveParts {
  readonly http: Http
  readonly conversations: Conversations
  readonly holds: Holds
  readonly ran: Ran
}

export class LiveConversation {
  readonly id: string
  readonly #parts: LiveParts
  readonly #turns: number
  readonly #listeners = new Listeners<View>()
  readonly #tools: ClientTools
  #view: View = emptyView
  #connection: Connection = { state: 'off' }
  #loaded = false
  #fresh = false
  #running: AbortController | undefined
  #poke: () => void = () => {}
  /** The connection, and the tools that the gateway was told of when it was opened. */
  #opened: { readonly tools: string; readonly cut: AbortController } | undefined

  constructor(parts: LiveParts, id: string, { turns = 20 }: LiveOptions = {}) {
    this.id = id
    this.#parts = parts
    this.#turns = turns
    this.#tools = new ClientTools(parts.holds, id, parts.ran)
  }

  get view(): View {
    return this.#view
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Called after every change of `view` or `connection`. The conversation is followed from the first listener on. */
  subscribe(listener: (view: View) => void): () => void {
    const remove = this.#listeners.add(listener)
    this.#startOrStop()
    return () => {
      remove()
      this.#startOrStop()
    }
  }

  /** Runs the held client calls of these names here. Returns what takes them away again. */
  tools(tools: ToolsOfClient): () => void {
    const remove = this.#tools.add(tools)
    this.#startOrStop()
    this.#offer()
    if (this.#loaded) this.#tools.look(this.#view)
    return () => {
      remove()
      this.#startOrStop()
      this.#offer()
    }
  }

  /** Adds older turns to the view. False when it has all of them. */
  async earlier(turns = 20, options: RequestOptions = {}): Promise<boolean> {
    if (!this.#loaded || this.#view.from <= 1) return false
    const wanted = this.#view.turns.length + turns
    const page = await this.#parts.conversations.view(this.id, { turns: Math.min(wanted, 1000) }, options)
    if (page && page.seq >= this.#view.seq) this.#show(earlier(this.#view, page))
    return this.#view.from > 1 && wanted < 1000
  }

  async send(content: string | readonly UserPart[], options?: SendOptions): Promise<SendAnswer> {
    const sent = await this.#parts.conversations.send(this.id, content, options)
    // It exists now, if it did not before.
    if (sent.ok) this.#poke()
    return sent
  }

  cancel(message?: string, options?: RequestOptions): Promise<{ readonly ok: true } | Refused> {
    return this.#parts.conversations.cancel(this.id, message, options)
  }

  continue(options?: RequestOptions & { readonly by?: string; readonly wait?: number }): Promise<SendAnswer> {
    return this.#parts.conversations.continue(this.id, options)
  }

  resolve(callId: string, resolution: Resolution, options?: ResolveOptions): Promise<ResolveAnswer> {
    return this.#parts.holds.resolve(this.id, callId, resolution, options)
  }

  /** Tries at once, where it waits before coming again or has stopped. */
  reconnect(): void {
    if (this.#connection.state === 'stopped') this.#stop()
    this.#poke()
    this.#startOrStop()
  }

  /** Listens no more. What was begun by tools is told to stop. */
  close(): void {
    this.#listeners.clear()
    this.#tools.clear()
    this.#stop()
  }

  #startOrStop(): void {
    const wanted = this.#listeners.size > 0 || this.#tools.size > 0
    if (wanted && !this.#running) this.#start()
    // Not at once: a screen that is drawn anew leaves and comes back in the same breath.
    if (!wanted) setTimeout(() => (this.#listeners.size > 0 || this.#tools.size > 0 ? undefined : this.#stop()), 0)
  }

  /** The gateway is told when a stream is opened. All that changes in the same breath is told at once. */
  #offer(): void {
    setTimeout(() => {
      if (this.#opened && this.#opened.tools !== String(this.#tools.names)) this.#opened.cut.abort(new ToolsChanged())
    }, 0)
  }

  #start(): void {
    const running = new AbortController()
    this.#running = running
    this.#connection = { state: 'connecting' }
    const online = (): void => this.#poke()
    // Browsers say when the network is back. Node has no such thing.
    const host = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>
    host.addEventListener?.('online', online)
    this.#run(running.signal)
      .catch((error: Error) => {
        if (!running.signal.aborted) this.#connected({ state: 'stopped', error })
      })
      .finally(() => host.removeEventListener?.('online', online))
  }

  #stop(): void {
    if (!this.#running) return
    this.#running.abort(new DOMException('Nobody listens any more.', 'AbortError'))
    this.#running = undefined
    this.#connected({ state: 'off' })
  }

  async #run(signal: AbortSignal): Promise<void> {
    const items = resuming(() => this.#once(signal), {
      signal,
      passes: (error) => passes(error) || isMissing(error),
      early: () => new Promise<void>((resolve) => (this.#poke = resolve)),
      onWait: (error, ms) => {
        if (error instanceof ToolsChanged) return this.#poke()
        this.#connected({ state: 'waiting', retryAt: Date.now() + ms, ...(error && !isMissing(error) && { error }) })
      },
    })
    for await (const { messages } of items) {
      if (signal.aborted) return
      this.#poke = () => {}
      if (messages.length > 0) this.#show(this.#after(messages))
      if (this.#connection.state !== 'live') this.#connected({ state: 'live' })
    }
  }

  async *#once(signal: AbortSignal): AsyncGenerator<Heard<StreamMessage>> {
    if (this.#connection.state !== 'connecting') this.#connected({ state: 'connecting' })
    if (!this.#loaded) {
      const { conversations } = this.#parts
      const view = await conversations.view(this.id, { turns: this.#turns }, { signal })
      if (!view) throw new HoldpointHttpError(`There is no conversation "${this.id}" yet.`, { status: 404 })
      signal.throwIfAborted()
      this.#loaded = true
      this.#show(view)
    }
    this.#fresh = true
    const { http } = this.#parts
    const { names: tools } = this.#tools
    const cut = new AbortController()
    this.#opened = { tools: String(tools), cut }
    const either = AbortSignal.any([signal, cut.signal])
    for await (const heard of openStream(http, { id: this.id, after: this.#view.seq, signal: either, tools })) {
      if (heard.messages.some(({ kind }) => kind === 'reset')) {
        // Its newest turns are asked for again, and not all that ever was.
        this.#loaded = false
        throw new StreamBroken('The gateway has another log than before.')
      }
      yield heard
    }
  }

  #after(messages: readonly StreamMessage[]): View {
    let view = this.#fresh ? { ...this.#view, live: emptyView.live } : this.#view
    this.#fresh = false
    for (const message of messages) {
      if (message.kind === 'event') view = applyEvent(view, message.event)
      if (message.kind === 'frame') view = applyFrame(view, message.frame)
    }
    return view
  }

  #show(view: View): void {
    if (view === this.#view) return
    this.#view = view
    this.#tell()
    this.#tools.look(view)
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
