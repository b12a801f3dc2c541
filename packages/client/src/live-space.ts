/** A space as it is now, on this side, with what agents are writing there at the moment. It begins with the newest messages. */
import type { Member, ResolveAnswer } from '@holdpoint/core'
import {
  applySpaceEvent,
  applySpaceFrame,
  emptySpaceView,
  isSpaceEvent,
  isSpaceFrame,
  type SpaceView,
} from '@holdpoint/core/view'
import { paths } from '@holdpoint/protocol'
import type { ClientCall } from './client-tools.ts'
import type { Http, RequestOptions } from './http.ts'
import { Live } from './live.ts'
import type { Ran } from './ran.ts'
import type { PostOptions, SpaceAnswerOptions, SpaceChanged, Spaces } from './spaces.ts'

export interface SpaceParts {
  readonly http: Http
  readonly spaces: Spaces
  readonly ran: Ran
}

export interface LiveSpaceOptions {
  /** How many of the newest messages it begins with; 50 unless said. */
  readonly messages?: number
  /** Names of tools whose calls somebody here answers by hand: those with a `grace` wait while somebody can. */
  readonly tools?: readonly string[]
}

export class LiveSpace extends Live<SpaceView> {
  readonly id: string
  readonly #spaces: Spaces

  constructor({ http, spaces, ran }: SpaceParts, id: string, { messages = 50, tools = [] }: LiveSpaceOptions = {}) {
    super(http, {
      empty: emptySpaceView,
      path: paths.spaceEvents(id),
      load: (signal) => spaces.view(id, { limit: messages }, { signal }),
      apply: (view, message) => {
        if (message.kind === 'frame') {
          const { frame } = message
          return isSpaceFrame(frame) ? applySpaceFrame(view, frame) : view
        }
        const event = message.kind === 'event' ? message.event : undefined
        return event && (isSpaceEvent(event) || event.type === 'notices.told') ? applySpaceEvent(view, event) : view
      },
      atRest: (view) => ({ ...view, writing: [] }),
      calls: {
        ran,
        where: { spaceId: id },
        held,
        answer: ({ callId, nth }, outcome, options) => {
          const which = { ...options, hold: nth }
          return 'error' in outcome
            ? spaces.fail(id, callId, outcome.error, which)
            : spaces.answer(id, callId, outcome.value, which)
        },
      },
      answers: tools,
    })
    this.id = id
    this.#spaces = spaces
  }

  /** Adds older messages to the view. False when it has all of them. */
  async earlier(messages = 50, options: RequestOptions = {}): Promise<boolean> {
    const { from } = this.view
    if (!this.loaded || from <= 1) return false
    const page = await this.#spaces.view(this.id, { before: from, limit: messages }, options)
    // Somebody else may have added them meanwhile.
    if (page && this.view.from === from)
      this.show({ ...this.view, from: page.from, messages: [...page.messages, ...this.view.messages] })
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
  answer(callId: string, value: unknown, options?: SpaceAnswerOptions): Promise<ResolveAnswer> {
    return this.#spaces.answer(this.id, callId, value, options)
  }
}

/** As far as they are among the messages that are here. */
function held({ messages }: SpaceView): readonly ClientCall[] {
  return messages.flatMap((message) => {
    if (message.kind !== 'tool' || message.hold?.kind !== 'client') return []
    const { toolCallId: callId, name, input, hold } = message
    return [{ callId, name, input, nth: hold.nth }]
  })
}
