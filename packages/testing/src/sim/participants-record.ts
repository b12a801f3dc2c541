/**
 * The participants of a conversation. They are computed here from its log, without the code under test. The guest may write only
 * where it is the owner or a participant at that moment.
 */
import type { Inbound, LogEvent, Principal } from '@holdpoint/core'
import type { Judge } from './violation.ts'

export const GUEST: Principal = { id: 'guest', kind: 'person', access: 'own' }

export class ParticipantsRecord {
  #guest = false

  follow(event: LogEvent, where: string, judge: Judge): void {
    if (event.type === 'participants.changed') {
      if (event.remove.includes(GUEST.id)) this.#guest = false
      if (event.add.includes(GUEST.id)) this.#guest = true
      return
    }
    const written = event.type === 'turn.started' ? event.items.slice(event.queued ?? 0) : []
    const items = event.type === 'message.queued' ? [event.item] : written
    if (!items.some(isFromGuest)) return
    if (event.seq === 1) this.#guest = true
    judge.require(
      this.#guest,
      'only-participants-write',
      () => `${where}: event ${event.seq} is from a person who does not participate`,
    )
  }
}

function isFromGuest(item: Inbound): boolean {
  return item.kind === 'message' && item.message.by === GUEST.id
}
