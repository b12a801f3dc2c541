/** A live view of a space, with the texts that agents are writing, starting with its newest messages. */
import type { Member, ResolveResult } from '@holdpoint/core'
import { isSpaceEvent, isSpaceFrame } from '@holdpoint/core/view'
import { applySpaceEvent, applySpaceFrame, emptySpaceView, type SpaceView } from '@holdpoint/spaces/view'
import { paths } from '@holdpoint/protocol'
import type { ClientCall } from './client-tools.ts'
import type { Http, RequestOptions } from './http.ts'
import { Live } from './live.ts'
import type { StartedHolds } from './started-holds.ts'
import type { PostOptions, SpaceAnswerOptions, SpaceChanged, Spaces } from './spaces.ts'

export interface SpaceParts {
  readonly http: Http
  readonly spaces: Spaces
  readonly started: StartedHolds
}

export interface LiveSpaceOptions {
  /** How many of the newest messages to load first. Default: 50. */
  readonly messages?: number
  /** Tools whose calls the user of this client answers in a form. Calls of a tool with a `grace` wait while this is open. */
  readonly tools?: readonly string[]
}

export class LiveSpace extends Live<SpaceView> {
  readonly id: string
  readonly #spaces: Spaces

  constructor({ http, spaces, started }: SpaceParts, id: string, { messages = 50, tools = [] }: LiveSpaceOptions = {}) {
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
        return event && (isSpaceEvent(event) || event.type === 'notices.delivered')
          ? applySpaceEvent(view, event)
          : view
      },
      atRest: (view) => ({ ...view, writing: [] }),
      calls: {
        started,
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

  /** Loads older messages. False if all messages are loaded. */
  async earlier(messages = 50, options: RequestOptions = {}): Promise<boolean> {
    const { from } = this.view
    if (!this.loaded || from <= 1) return false
    const page = await this.#spaces.view(this.id, { before: from, limit: messages }, options)
    // A concurrent call may have added them already.
    if (page && this.view.from === from)
      this.show({ ...this.view, from: page.from, messages: [...page.messages, ...this.view.messages] })
    return this.view.from > 1
  }

  post(text: string, options?: PostOptions): ReturnType<Spaces['post']> {
    return this.#spaces.post(this.id, text, options)
  }

  /** Marks all messages of the view as read, or those up to a seq. */
  read(upTo: number = this.view.seq, options?: RequestOptions & { readonly member?: Member }): Promise<SpaceChanged> {
    return this.#spaces.read(this.id, upTo, options)
  }

  /** Answers a call that asks the people in the space. */
  answer(callId: string, value: unknown, options?: SpaceAnswerOptions): Promise<ResolveResult> {
    return this.#spaces.answer(this.id, callId, value, options)
  }
}

/** The held client calls among the loaded messages. */
function held({ messages }: SpaceView): readonly ClientCall[] {
  return messages.flatMap((message) => {
    if (message.kind !== 'tool' || message.hold?.kind !== 'client') return []
    const { toolCallId: callId, name, input, hold } = message
    return [{ callId, name, input, nth: hold.nth }]
  })
}
