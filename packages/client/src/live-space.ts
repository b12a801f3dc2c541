/** A space as it is now, on this side, with what agents are writing there at the moment. It begins with the newest messages. */
import type { Member, ResolveAnswer } from '@holdpoint/core'
import { applySpaceEvent, applySpaceFrame, emptySpaceView, isSpaceEvent, type SpaceView } from '@holdpoint/core/view'
import { paths } from '@holdpoint/protocol'
import type { Connection } from './connection.ts'
import type { Http, RequestOptions } from './http.ts'
import { Live } from './live.ts'
import type { PostOptions, SpaceChanged, Spaces } from './spaces.ts'

export interface LiveSpaceOptions {
  /** How many of the newest messages it begins with; 50 unless said. */
  readonly messages?: number
  /** Names of tools whose calls somebody here can answer: those with a `grace` wait while somebody can. */
  readonly tools?: readonly string[]
}

export class LiveSpace {
  readonly id: string
  readonly #spaces: Spaces
  readonly #live: Live<SpaceView>

  constructor(http: Http, spaces: Spaces, id: string, { messages = 50, tools = [] }: LiveSpaceOptions = {}) {
    this.id = id
    this.#spaces = spaces
    this.#live = new Live(http, {
      empty: emptySpaceView,
      path: paths.spaceEvents(id),
      load: (signal) => spaces.view(id, { limit: messages }, { signal }),
      apply: (view, message) => {
        if (message.kind === 'frame') {
          const { frame } = message
          const isOurs = frame.type === 'message.streaming' || frame.type === 'tool.streaming'
          return isOurs ? applySpaceFrame(view, frame) : view
        }
        const event = message.kind === 'event' ? message.event : undefined
        return event && (isSpaceEvent(event) || event.type === 'notices.told') ? applySpaceEvent(view, event) : view
      },
      atRest: (view) => ({ ...view, writing: [] }),
      tools: () => tools,
    })
  }

  get view(): SpaceView {
    return this.#live.view
  }

  get connection(): Connection {
    return this.#live.connection
  }

  /** Called after every change of `view` or `connection`. The space is followed from the first listener on. */
  subscribe(listener: (view: SpaceView) => void): () => void {
    return this.#live.subscribe(listener)
  }

  /** Adds older messages to the view. False when it has all of them. */
  async earlier(messages = 50, options: RequestOptions = {}): Promise<boolean> {
    const { from } = this.view
    if (!this.#live.loaded || from <= 1) return false
    const page = await this.#spaces.view(this.id, { before: from, limit: messages }, options)
    // Somebody else may have added them meanwhile.
    if (page && this.view.from === from)
      this.#live.show({ ...this.view, from: page.from, messages: [...page.messages, ...this.view.messages] })
    return this.view.from > 1
  }

  post(text: string, options?: PostOptions): ReturnType<Spaces['post']> {
    return this.#spaces.post(this.id, text, options)
  }

  /** Everything that is shown here was read, or everything up to a seq. */
  read(upTo: number = this.view.seq, options?: RequestOptions & { readonly member?: Member }): Promise<SpaceChanged> {
    return this.#spaces.read(this.id, upTo, options)
  }

  /** The answer to a call that is shown here and asks the people in the space. */
  answer(
    callId: string,
    value: unknown,
    options?: RequestOptions & { readonly from?: Member },
  ): Promise<ResolveAnswer> {
    return this.#spaces.answer(this.id, callId, value, options)
  }

  /** Tries at once, where it waits before coming again or has stopped. */
  reconnect(): void {
    this.#live.reconnect()
  }

  close(): void {
    this.#live.close()
  }
}
