/** Checks that the log has each message of a person as often as it should. Every message has a unique text. */
import type { Inbound, LogEvent } from '@holdpoint/core'
import type { ConversationRecord } from './conversation-record.ts'
import type { ResponseCheck } from './requests.ts'
import type { Judge } from './violation.ts'

export interface SentMessage {
  readonly text: string
  readonly conversation: string
  readonly key: string | undefined
  /** How often a node received it. */
  deliveries: number
  /** How often the log has it. */
  written: number
  /** Its sender got a refusal, and did not send it again. */
  denied: boolean
}

export class MessageChecks {
  readonly #judge: Judge
  readonly #byText = new Map<string, SentMessage>()
  #count = 0

  constructor(judge: Judge) {
    this.#judge = judge
  }

  say(conversation: string, key: string | undefined): SentMessage {
    const text = `${conversation} message ${++this.#count}`
    const said = { text, conversation, key, deliveries: 0, written: 0, denied: false }
    this.#byText.set(text, said)
    return said
  }

  /** A log has new events. */
  follow({ id }: ConversationRecord, events: readonly LogEvent[]): void {
    for (const item of events.flatMap(taken)) {
      const text = item.kind === 'message' && item.message.parts[0]?.type === 'text' ? item.message.parts[0].text : ''
      const said = this.#byText.get(text)
      if (!said) continue
      said.written++
      const denied = said.denied && said.deliveries === 1
      this.#judge.require(!denied, 'message-kept', () => `${id}: "${text}" was refused, but the log has it now`)
      const most = said.key === undefined ? said.deliveries : 1
      const say = (): string =>
        `${id}: "${text}" is in the log ${said.written} times, was sent ${said.deliveries} times, key ${said.key}`
      this.#judge.require(said.written <= most, 'key-once', say)
    }
  }

  /** Called when a node receives the message. */
  begins(said: SentMessage): ResponseCheck<boolean> {
    said.deliveries++
    return {
      told: (accepted) => {
        const { text, written } = said
        if (accepted)
          this.#judge.require(written > 0, 'message-kept', () => `"${text}" was accepted, but the log does not have it`)
        else if (said.deliveries === 1) this.#denied(said, 'was refused')
      },
      failed: (error) => {
        const surely = error instanceof Error && error.message.startsWith('Nothing was written')
        if (surely && said.deliveries === 1) this.#denied(said, 'was certainly not written')
      },
    }
  }

  /** Checks that the log does not have the message, now and until it is sent again. */
  #denied(said: SentMessage, how: string): void {
    said.denied = true
    this.#judge.require(said.written === 0, 'message-kept', () => `"${said.text}" ${how}, but the log has it`)
  }
}

/** The items that an event added. */
function taken(event: LogEvent): readonly Inbound[] {
  if (event.type === 'message.queued') return [event.item]
  return event.type === 'turn.started' ? event.items.slice(event.queued ?? 0) : []
}
