/**
 * Shows the people in a space what an agent is writing there, while it writes: the text of a message, and the arguments of
 * a call that will be shown. Frames only: what counts follows as an event. What nobody there may see is no frame either,
 * so nothing is shown before it is known that the agent is a member, and nothing of a call that is not visible.
 */
import { agentOfLife } from '../life/life.ts'
import { ENTER_SPACE, LEAVE_SPACE, MESSAGE_TEXT, SEND_MESSAGE } from '../life/space-tools.ts'
import { isObject } from '../json.ts'
import type { Frame, SpaceFrame } from '../live/frame.ts'
import type { Address } from '../log/store.ts'
import type { Agent, Toolbox } from '../loop/agent.ts'
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

interface Place {
  readonly space: Address
  /** What is not shown yet, since nobody knows whether the agent may be there. */
  held: SpaceFrame[] | undefined
}

/** Undefined for a conversation that is nobody's life. */
export function relay(
  { tenant, id }: Address,
  subscribers: Subscribers,
  isMember: (agent: string, space: string) => Promise<boolean>,
): Relay | undefined {
  const agent = agentOfLife(id)
  return agent === undefined ? undefined : new LifeRelay(tenant, agent, subscribers, (at) => isMember(agent, at))
}

class LifeRelay implements Relay {
  readonly #tenant: string
  readonly #agent: string
  readonly #subscribers: Subscribers
  readonly #isMember: (space: string) => Promise<boolean>
  /** Where the agent is in the reply that it is writing: the log knows only when the reply is there. */
  #place: Place | undefined
  readonly #writing = new Map<string, Writing>()

  constructor(tenant: string, agent: string, subscribers: Subscribers, isMember: (space: string) => Promise<boolean>) {
    this.#tenant = tenant
    this.#agent = agent
    this.#subscribers = subscribers
    this.#isMember = isMember
  }

  /** It may go into a space in the reply that it begins, so nobody knows who will want to see it. */
  watched(): boolean {
    return this.#subscribers.any
  }

  show(frame: Frame, { place }: Conversation, { toolbox }: Agent): void {
    switch (frame.type) {
      case 'reply-start':
        this.#writing.clear()
        return this.#go(place)
      case 'call-input':
        return this.#write(frame.id, frame.name, frame.delta, toolbox)
      case 'reply-call':
        this.#writing.delete(frame.id)
        if (frame.name === LEAVE_SPACE) this.#go(undefined)
        if (frame.name === ENTER_SPACE && isObject(frame.input) && typeof frame.input['space'] === 'string')
          this.#go(frame.input['space'])
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

  #go(space: string | undefined): void {
    if (space === undefined) {
      this.#place = undefined
      return
    }
    const place: Place = { space: { tenant: this.#tenant, id: space }, held: [] }
    this.#place = place
    this.#isMember(space).then(
      (yes) => {
        const held = place.held ?? []
        place.held = undefined
        if (yes) for (const frame of held) this.#subscribers.show(place.space, frame)
        else if (this.#place === place) this.#place = undefined
      },
      () => {}, // what cannot be known now is not shown
    )
  }

  #write(id: string, vendorName: string, delta: string, { names, tools }: Toolbox): void {
    const name = names.get(vendorName) ?? vendorName
    const known = this.#writing.get(id)
    const writing = known ?? { name, text: name === SEND_MESSAGE ? new PartialText(MESSAGE_TEXT) : undefined, shown: 0 }
    if (!known) this.#writing.set(id, writing)
    const said = writing.text ? writing.text.add(delta) : delta
    const at = writing.shown
    writing.shown += said.length
    if (said === '') return
    const piece = { agent: this.#agent, id, at, delta: said }
    if (writing.text) this.#show({ type: 'message.streaming', ...piece })
    else if (tools.get(writing.name)?.visible === true)
      this.#show({ type: 'tool.streaming', name: writing.name, ...piece })
  }

  #show(frame: SpaceFrame): void {
    const place = this.#place
    if (place?.held) place.held.push(frame)
    else if (place) this.#subscribers.show(place.space, frame)
  }
}
