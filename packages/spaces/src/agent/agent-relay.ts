/**
 * Shows the members of a space what an agent is writing there: the text of a message, and the arguments of a visible call.
 * These are frames; an event follows with the result. A frame must not show what the event would not: so nothing is shown
 * until the agent's membership is checked, and nothing of a call that is not visible.
 */
import { ENTER_SPACE, LEAVE_SPACE, SEND_MESSAGE } from '@holdpoint/core/internal/agent/built-in-tools'
import { MESSAGE_TEXT } from './space-tools.ts'
import { isObject } from '@holdpoint/core/internal/json'
import type { Frame } from '@holdpoint/core/internal/live/frame'
import type { SpaceFrame } from '@holdpoint/core/internal/log/space-frame'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { Agent, Toolbox } from '@holdpoint/core/internal/agent/agent'
import type { Relay } from '@holdpoint/runtime/internal/drive/log-host'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { PartialText } from './partial-text.ts'
import type { Subscribers } from '@holdpoint/runtime/internal/subscribe/subscribers'

interface Writing {
  readonly text: PartialText | undefined
  /** How many characters were shown. */
  shown: number
}

interface CurrentSpace {
  readonly space: Address
  /** Frames that wait until the agent's membership is checked. */
  waiting: SpaceFrame[] | undefined
}

export class AgentRelay implements Relay {
  readonly #tenant: string
  readonly #agent: string
  readonly #subscribers: Subscribers
  readonly #isMember: (space: string) => Promise<boolean>
  /** The space that the agent is in, by the part of the reply that has arrived. The log has it only after the reply. */
  #current: CurrentSpace | undefined
  /** The space that the agent was woken from: it is there as soon as it writes something for a space. */
  #startSpace: string | undefined
  readonly #writing = new Map<string, Writing>()

  constructor(tenant: string, agent: string, subscribers: Subscribers, isMember: (space: string) => Promise<boolean>) {
    this.#tenant = tenant
    this.#agent = agent
    this.#subscribers = subscribers
    this.#isMember = isMember
  }

  /** The agent may enter any space in its next reply, so it is watched if any subscriber exists. */
  watched(): boolean {
    return this.#subscribers.any
  }

  show(frame: Frame, { space, turn }: Conversation, { toolbox }: Agent): void {
    switch (frame.type) {
      case 'reply-start':
        this.#writing.clear()
        this.#startSpace = turn.phase === 'rest' ? undefined : turn.startSpace
        return this.#enter(space)
      case 'call-input':
        return this.#write(frame, toolbox)
      case 'reply-call':
        this.#writing.delete(frame.callId)
        if (frame.name === LEAVE_SPACE) this.#leave()
        if (frame.name === ENTER_SPACE && isObject(frame.input) && typeof frame.input['space'] === 'string')
          this.#enter(frame.input['space'])
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
    this.#startSpace = undefined
    this.#current = undefined
  }

  #enter(space: string | undefined): void {
    if (space === undefined) {
      this.#current = undefined
      return
    }
    const entered: CurrentSpace = { space: { tenant: this.#tenant, id: space }, waiting: [] }
    this.#current = entered
    this.#isMember(space).then(
      (isMember) => {
        const waiting = entered.waiting ?? []
        entered.waiting = undefined
        if (isMember) for (const frame of waiting) this.#subscribers.show(entered.space, frame)
        else if (this.#current === entered) this.#current = undefined
      },
      () => {}, // a membership that cannot be checked shows nothing
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
    const added = writing.text ? writing.text.add(delta) : delta
    const at = writing.shown
    writing.shown += added.length
    if (added === '') return
    if (writing.text) this.#show({ type: 'message.streaming', agent: this.#agent, id: callId, at, delta: added })
    else if (isVisible) this.#show({ type: 'tool.streaming', ...call, at, delta: added })
  }

  #show(frame: SpaceFrame): void {
    if (!this.#current && this.#startSpace !== undefined) {
      this.#enter(this.#startSpace)
      this.#startSpace = undefined // checked once
    }
    const current = this.#current
    if (current?.waiting) current.waiting.push(frame)
    else if (current) this.#subscribers.show(current.space, frame)
  }
}
