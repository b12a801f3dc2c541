/**
 * Tells other logs what is in the outbox. Whoever is told several things is told them in order; others do not wait for
 * them, and one who cannot be told now keeps nobody else from hearing. What was told once is told no more.
 */
import { HoldpointError } from '../failure.ts'
import type { EventBody } from '../log/log-event.ts'
import { tellingsOf, type Notice, type Telling } from '../turn/notices.ts'
import type { World } from './world.ts'

const AT_ONCE = 16

/** Fails if anybody could not be told: then all of it is told again, and heard by those who did not hear it. */
export async function tellAll(notices: readonly Notice[], world: World): Promise<readonly EventBody[]> {
  const byListener = new Map<string, Telling[]>()
  for (const telling of notices.flatMap(tellingsOf)) {
    const listener = 'agent' in telling ? `agent ${telling.agent}` : `space ${telling.space}`
    const all = byListener.get(listener) ?? []
    byListener.set(listener, all)
    all.push(telling)
  }
  const waiting = [...byListener.values()]
  const failures: unknown[] = []
  const teller = async (): Promise<void> => {
    for (let tellings = waiting.shift(); tellings; tellings = waiting.shift())
      try {
        for (const telling of tellings) await world.tell(telling)
      } catch (error) {
        failures.push(error)
      }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, teller))
  if (failures.length > 0) throw failures[0]
  return [{ type: 'notices.told', count: notices.length }]
}

/** For a session, which has nobody to tell. */
export function nobodyToTell(): Promise<never> {
  return Promise.reject(
    new HoldpointError('config-invalid', 'There are no spaces here. Open a runtime on a store: holdpoint({ … }).'),
  )
}
