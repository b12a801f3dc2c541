/** A conversation as it is now, on this side. It begins with the newest turns. */
import type { ResolveAnswer, Resolution, UserPart } from '@holdpoint/core'
import { applyEvent, applyFrame, emptyView, holdsOf, type View } from '@holdpoint/core/view'
import { paths } from '@holdpoint/protocol'
import type { Refused } from './answers.ts'
import type { Conversations, SendAnswer, SendOptions } from './conversations.ts'
import { earlier } from './earlier.ts'
import type { Holds, ResolveOptions } from './holds.ts'
import type { Http, RequestOptions } from './http.ts'
import { Live } from './live.ts'
import type { Ran } from './ran.ts'

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

export class LiveConversation extends Live<View> {
  readonly id: string
  readonly #parts: LiveParts

  constructor(parts: LiveParts, id: string, { turns = 20 }: LiveOptions = {}) {
    const { http, conversations, holds, ran } = parts
    super(http, {
      empty: emptyView,
      path: paths.events(id),
      load: (signal) => conversations.view(id, { turns }, { signal }),
      apply: (view, message) => {
        if (message.kind === 'event') return applyEvent(view, message.event)
        return message.kind === 'frame' ? applyFrame(view, message.frame) : view
      },
      atRest: (view) => ({ ...view, live: emptyView.live }),
      calls: {
        ran,
        where: { conversationId: id },
        held: (view) => holdsOf(view).filter(({ kind }) => kind === 'client'),
        answer: ({ callId, nth }, outcome, options) =>
          holds.resolve(id, callId, { kind: 'answer', ...outcome }, { ...options, hold: nth }),
      },
    })
    this.id = id
    this.#parts = parts
  }

  /** Adds older turns to the view. False when it has all of them. */
  async earlier(turns = 20, options: RequestOptions = {}): Promise<boolean> {
    if (!this.loaded || this.view.from <= 1) return false
    const wanted = this.view.turns.length + turns
    const page = await this.#parts.conversations.view(this.id, { turns: Math.min(wanted, 1000) }, options)
    if (page && page.seq >= this.view.seq) this.show(earlier(this.view, page))
    return this.view.from > 1 && wanted < 1000
  }

  async send(content: string | readonly UserPart[], options?: SendOptions): Promise<SendAnswer> {
    const sent = await this.#parts.conversations.send(this.id, content, options)
    // It exists now, if it did not before.
    if (sent.ok) this.reconnect()
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
}
