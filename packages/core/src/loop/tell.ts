/** Tells other logs what is in the outbox, in order: what was told once is told no more. */
import { HoldpointError } from '../failure.ts'
import type { EventBody } from '../log/log-event.ts'
import type { Notice } from '../turn/notices.ts'
import type { World } from './world.ts'

export async function tellAll(notices: readonly Notice[], world: World): Promise<readonly EventBody[]> {
  for (const notice of notices) await world.tell(notice)
  return [{ type: 'notices.told', count: notices.length }]
}

/** For a session, which has nobody to tell. */
export function nobodyToTell(): Promise<never> {
  return Promise.reject(
    new HoldpointError('config-invalid', 'There are no spaces here. Open a runtime on a store: holdpoint({ … }).'),
  )
}
