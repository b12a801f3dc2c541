/** A live view of a conversation, starting with its newest turns. */
import type { ResolveResult, Resolution, UserPart } from '@holdpoint/core'
import { applyEvent, applyFrame, emptyView, holdsOf, type View } from '@holdpoint/core/view'
import { paths } from '@holdpoint/protocol'
import type { Refused } from './answers.ts'
import type { Conversations, SendResult, SendOptions } from './conversations.ts'
import { withOlderTurns } from './with-older-turns.ts'
import type { Holds, ResolveOptions } from './holds.ts'
import type { Http, RequestOptions } from './http.ts'
import { Live } from './live.ts'
import type { StartedHolds } from './started-holds.ts'

export interface LiveOptions {
  /** How many of the newest turns to load first. Default: 20. */
  readonly turns?: number
}

export interface LiveParts {
  readonly http: Http
  readonly conversations: Conversations
  readonly holds: Holds
  readonly started: StartedHolds
}

export class LiveConversation extends Live<View> {
  readonly id: string
  readonly #parts: LiveParts

  constructor(parts: LiveParts, id: string, { turns = 20 }: LiveOptions = {}) {
    const { http, holds, started } = parts
    super(http, {
      empty: emptyView,
      path: `${paths.events(id)}?missing=ok`,
      // A conversation that does not exist yet has an empty view, and is followed from its first event.
      load: async (signal) => (await newest(http, id, turns, signal)) ?? emptyView,
      apply: (view, message) => {
        if (message.kind === 'event') return applyEvent(view, message.event)
        return message.kind === 'frame' ? applyFrame(view, message.frame) : view
      },
      atRest: (view) => ({ ...view, live: emptyView.live }),
      calls: {
        started,
        where: { conversationId: id },
        held: (view) => holdsOf(view).filter(({ kind }) => kind === 'client'),
        answer: ({ callId, nth }, outcome, options) =>
          holds.resolve(id, callId, { kind: 'answer', ...outcome }, { ...options, hold: nth }),
      },
    })
    this.id = id
    this.#parts = parts
  }

  /** Loads older turns, or fewer if the response would be too large. False if all turns are loaded. */
  async earlier(turns = 20, options: RequestOptions = {}): Promise<boolean> {
    if (!this.loaded || this.view.from <= 1) return false
    const wanted = this.view.turns.length + turns
    const asking = this.#parts.conversations.view(this.id, { turns: Math.min(wanted, 1000) }, options)
    const page = await asking.catch((error: unknown) => {
      if (!(error instanceof RangeError) || turns === 1) throw error
      return 'too large' as const
    })
    if (page === 'too large') return this.earlier(Math.ceil(turns / 4), options)
    if (page && page.seq >= this.view.seq) this.show(withOlderTurns(this.view, page))
    return this.view.from > 1 && wanted < 1000
  }

  async send(content: string | readonly UserPart[], options?: SendOptions): Promise<SendResult> {
    const sent = await this.#parts.conversations.send(this.id, content, options)
    // The message may have created the conversation, so it can be followed now.
    if (sent.ok) this.reconnect()
    return sent
  }

  cancel(message?: string, options?: RequestOptions): Promise<{ readonly ok: true } | Refused> {
    return this.#parts.conversations.cancel(this.id, message, options)
  }

  continue(options?: RequestOptions & { readonly by?: string; readonly wait?: number }): Promise<SendResult> {
    return this.#parts.conversations.continue(this.id, options)
  }

  resolve(callId: string, resolution: Resolution, options?: ResolveOptions): Promise<ResolveResult> {
    return this.#parts.holds.resolve(this.id, callId, resolution, options)
  }
}

/**
 * Undefined if the conversation does not exist yet. `missing=ok` avoids a 404, which browsers would log. If the response
 * would be too large, fewer turns are loaded; `earlier` loads the others.
 */
async function newest(http: Http, id: string, turns: number, signal: AbortSignal): Promise<View | undefined> {
  try {
    return await http.get(paths.conversation(id), { signal }, { turns, missing: 'ok' })
  } catch (error) {
    if (!(error instanceof RangeError) || turns === 1) throw error
    return newest(http, id, Math.ceil(turns / 4), signal)
  }
}
