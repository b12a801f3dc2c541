/**
 * Shows the people in a space what an agent is writing there, while it writes: the text of a message, and the arguments of
 * a call that will be shown. Frames only: what counts follows as an event, and a mistake here is mended by it.
 */
import { agentOfLife } from '../life/life.ts'
import { ENTER_SPACE, LEAVE_SPACE, MESSAGE_TEXT, SEND_MESSAGE } from '../life/space-tools.ts'
import { isObject } from '../json.ts'
import type { Frame } from '../live/frame.ts'
import type { Relay } from '../loop/surroundings.ts'
import type { Conversation } from '../turn/turn-state.ts'
import { PartialText } from './partial-text.ts'
import type { Subscribers } from './subscribers.ts'

interface Writing {
  readonly name: string
  readonly text: PartialText | undefined
  /** How much of it was there before. */
  shown: number
}

/** Undefined for a conversation that is nobody's life. */
export function relay(tenant: string, id: string, subscribers: Subscribers): Relay | undefined {
  const agent = agentOfLife(id)
  return agent === undefined ? undefined : new LifeRelay(tenant, agent, subscribers)
}

class LifeRelay implements Relay {
  readonly #tenant: string
  readonly #agent: string
  readonly #subscribers: Subscribers
  /** Where the agent is in the reply that it is writing: the log knows only when the reply is there. */
  #space: string | undefined
  readonly #writing = new Map<string, Writing>()

  constructor(tenant: string, agent: string, subscribers: Subscribers) {
    this.#tenant = tenant
    this.#agent = agent
    this.#subscribers = subscribers
  }

  /** It may go into a space in the reply that it begins, so nobody knows who will want to see it. */
  watched(): boolean {
    return this.#subscribers.any
  }

  show(frame: Frame, { place }: Conversation): void {
    switch (frame.type) {
      case 'reply-start':
        this.#space = place
        this.#writing.clear()
        return
      case 'call-input':
        return this.#write(frame.id, frame.name, frame.delta)
      case 'reply-call':
        this.#writing.delete(frame.id)
        if (frame.name === LEAVE_SPACE) this.#space = undefined
        if (frame.name === ENTER_SPACE && isObject(frame.input) && typeof frame.input['space'] === 'string')
          this.#space = frame.input['space']
        return
      case 'reply-text':
      case 'reply-reasoning':
      case 'model-retry':
      case 'call-progress':
      case 'message.streaming':
      case 'tool.streaming':
        return
    }
  }

  #write(id: string, name: string, delta: string): void {
    const known = this.#writing.get(id)
    const writing = known ?? { name, text: name === SEND_MESSAGE ? new PartialText(MESSAGE_TEXT) : undefined, shown: 0 }
    if (!known) this.#writing.set(id, writing)
    const said = writing.text ? writing.text.add(delta) : delta
    const at = writing.shown
    writing.shown += said.length
    if (this.#space === undefined || said === '') return
    const piece = { agent: this.#agent, id, at, delta: said }
    this.#subscribers.show(
      { tenant: this.#tenant, id: this.#space },
      writing.text ? { type: 'message.streaming', ...piece } : { type: 'tool.streaming', name: writing.name, ...piece },
    )
  }
}
