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
    const { http, holds, ran } = parts
    super(http, {
      empty: emptyView,
      path: `${paths.events(id)}?missing=ok`,
      // One that is not there yet is empty, and is followed from its beginning on.
      load: async (signal) => (await newest(http, id, turns, signal)) ?? emptyView,
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

  /** Adds older turns to the view, or fewer where so many are too large to be read together. False when it has all of them. */
  async earlier(turns = 20, options: RequestOptions = {}): Promise<boolean> {
    if (!this.loaded || this.view.from <= 1) return false
    const wanted = this.view.turns.length + turns
    const asking = this.#parts.conversations.view(this.id, { turns: Math.min(wanted, 1000) }, options)
    const page = await asking.catch((error: unknown) => {
      if (!(error instanceof RangeError) || turns === 1) throw error
      return 'too large' as const
    })
    if (page === 'too large') return this.earlier(Math.ceil(turns / 4), options)
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

/**
 * Undefined when there is no such conversation yet: asked so that it is no problem, which browsers would write to their
 * log. Of turns that are too large to be read together, fewer are asked for; `earlier` adds the others.
 */
async function newest(http: Http, id: string, turns: number, signal: AbortSignal): Promise<View | undefined> {
  try {
    return await http.get(paths.conversation(id), { signal }, { turns, missing: 'ok' })
  } catch (error) {
    if (!(error instanceof RangeError) || turns === 1) throw error
    return newest(http, id, Math.ceil(turns / 4), signal)
  }
}
