/**
 * Checks what happens after a restore from an older backup: the log does not know what happened after the backup, so a call that must
 * not run twice runs again only if a person says so, or its own `verify` finds that nothing had happened. No model is called in a turn
 * that the restore interrupted, until a person acts.
 */
import type { LogEvent } from '@holdpoint/core'
import type { ConversationRecord } from './conversation-record.ts'
import type { Judge } from './violation.ts'

export class RestoredChecks {
  readonly #judge: Judge
  /** By call: how often it had begun, and how often its `verify` had found nothing. */
  readonly #before = new Map<string, { readonly times: number; readonly foundNothing: number }>()
  readonly #from = new Map<string, number>()
  /** By conversation: the turns that were under way. */
  readonly #waiting = new Map<string, string>()

  constructor(judge: Judge) {
    this.#judge = judge
  }

  /** The backup has the log up to this seq. */
  from(id: string, seq: number): void {
    this.#from.set(id, seq)
  }

  /** A call had begun this often when the store was restored. */
  began(callId: string, times: number, foundNothing: number): void {
    this.#before.set(callId, { times, foundNothing })
  }

  follow({ id, state }: ConversationRecord, events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.type === 'conversation.restored' && state.turn.phase !== 'rest')
        this.#waiting.set(id, state.turn.turnId)
      else if (event.type === 'message.queued' || ('resolution' in event && event.resolution)) this.#waiting.delete(id)
      else if (event.type === 'turn.started') this.#waiting.delete(id)
      else if (event.type === 'model.replied') {
        const early = this.#waiting.get(id) === event.turnId
        this.#judge.require(!early, 'restored-asks', () => `${id}: event ${event.seq}: the model was called by itself`)
      }
    }
  }

  /** Undefined for a call that had not begun when the store was restored. */
  mayBegin(callId: string, record: ConversationRecord, times: number, foundNothing: number): boolean | undefined {
    const before = this.#before.get(callId)
    if (!before) return undefined
    const restored = this.#from.get(record.id) ?? 0
    const call = record.calls.get(callId)
    // The model was called again after a person had answered: another call has the id of one that is lost.
    if (!call || call.seq > restored) return undefined
    const asked = call.taken.filter(({ seq }) => seq > restored).length
    return times - before.times <= asked + foundNothing - before.foundNothing
  }
}
