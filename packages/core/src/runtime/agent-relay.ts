/**
 * Shows the people in a space what an agent is writing there, while it writes: the text of a message, and the arguments of
 * a call that will be shown. Frames only: what counts follows as an event. What members may not see is no frame either,
 * so nothing is shown before it is known that the agent is a member, and nothing of a call that is not visible.
 */
import { ENTER_SPACE, LEAVE_SPACE, MESSAGE_TEXT, SEND_MESSAGE } from '../life/space-tools.ts'
import { isObject } from '../json.ts'
import type { Frame } from '../live/frame.ts'
import type { SpaceFrame } from '../log/space-frame.ts'
import type { Address } from '../log/store.ts'
import type { Agent, Toolbox } from '../loop/agent.ts'
import type { Relay } from '../loop/world.ts'
import type { Conversation } from '../turn/turn-state.ts'
import { PartialText } from './partial-text.ts'
import type { Subscribers } from './subscribers.ts'

interface Writing {
  readonly text: PartialText | undefined
  /** How much of it was there before. */
  shown: number
}

interface Place {
  readonly space: Address
  /** What is not shown yet, until it is known whether the agent is a member. */
  held: SpaceFrame[] | undefined
}

export class AgentRelay implements Relay {
  readonly #tenant: string
  readonly #agent: string
  readonly #subscribers: Subscribers
  readonly #isMember: (space: string) => Promise<boolean>
  /** Where the agent is in the reply that it is writing: the log knows only when the reply is there. */
  #place: Place | undefined
  /** Where it is as soon as it writes something for a space. */
  #home: string | undefined
  readonly #writing = new Map<string, Writing>()

  constructor(tenant: string, agent: string, subscribers: Subscribers, isMember: (space: string) => Promise<boolean>) {
    this.#tenant = tenant
    this.#agent = agent
    this.#subscribers = subscribers
    this.#isMember = isMember
  }

  /** It may go into a space in the reply that it begins, so the subscribers that want to see it are unknown. */
  watched(): boolean {
    return this.#subscribers.any
  }

  show(frame: Frame, { place, turn }: Conversation, { toolbox }: Agent): void {
    switch (frame.type) {
      case 'reply-start':
        this.#writing.clear()
        this.#home = turn.phase === 'rest' ? undefined : turn.home
        return this.#go(place)
      case 'call-input':
        return this.#write(frame, toolbox)
      case 'reply-call':
        this.#writing.delete(frame.callId)
        if (frame.name === LEAVE_SPACE) this.#leave()
        if (frame.name === ENTER_SPACE && isObject(frame.input) && typeof frame.input['space'] === 'string')
          this.#go(frame.input['space'])
        return
      case 'reply-text':
      case 'reply-reasoning':
      case 'model-retry':
      case 'call-progress':
      case 'message.streaming':
      case 'tool.started':
      case 'tool.streaming':
        return
    }
  }

  #leave(): void {
    this.#home = undefined
    this.#place = undefined
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

  #write({ callId, name, delta }: Extract<Frame, { readonly type: 'call-input' }>, { tools }: Toolbox): void {
    const isVisible = tools.get(name)?.visible === true
    const call = { agent: this.#agent, toolCallId: callId, name }
    const known = this.#writing.get(callId)
    const writing = known ?? { text: name === SEND_MESSAGE ? new PartialText(MESSAGE_TEXT) : undefined, shown: 0 }
    if (!known) {
      this.#writing.set(callId, writing)
      if (isVisible) this.#show({ type: 'tool.started', ...call, status: 'writing' })
    }
    const said = writing.text ? writing.text.add(delta) : delta
    const at = writing.shown
    writing.shown += said.length
    if (said === '') return
    if (writing.text) this.#show({ type: 'message.streaming', agent: this.#agent, id: callId, at, delta: said })
    else if (isVisible) this.#show({ type: 'tool.streaming', ...call, at, delta: said })
  }

  #show(frame: SpaceFrame): void {
    if (!this.#place && this.#home !== undefined) {
      this.#go(this.#home)
      this.#home = undefined // asked for once
    }
    const place = this.#place
    if (place?.held) place.held.push(frame)
    else if (place) this.#subscribers.show(place.space, frame)
  }
}
