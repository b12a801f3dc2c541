/**
 * Delivers the notices of an outbox to other logs. Each receiver gets its notices in order. Receivers do not wait for each
 * other, and a failed delivery does not stop the others.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { deliveriesOf, type Delivery, type Notice } from '@holdpoint/core/internal/log/notice'

const AT_ONCE = 16

/** Throws if a delivery failed. Then all notices are delivered again, and receivers ignore those that they have. */
export async function deliverNotices(
  notices: readonly Notice[],
  deliver: (delivery: Delivery) => Promise<void>,
): Promise<readonly EventBody[]> {
  const byReceiver = new Map<string, Delivery[]>()
  for (const delivery of notices.flatMap(deliveriesOf)) {
    const receiver = receiverOf(delivery)
    const all = byReceiver.get(receiver) ?? []
    byReceiver.set(receiver, all)
    all.push(delivery)
  }
  const waiting = [...byReceiver.values()]
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let deliveries = waiting.shift(); deliveries; deliveries = waiting.shift())
      try {
        for (const delivery of deliveries) await deliver(delivery)
      } catch (error) {
        failures.push(error)
      }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return [{ type: 'notices.delivered', count: notices.length }]
}

function receiverOf(delivery: Delivery): string {
  if ('news' in delivery) return 'outbox'
  return 'agent' in delivery ? `agent ${delivery.agent}` : `space ${delivery.space}`
}

/** For a session, which has no other log to deliver to. */
export function noReceivers(): Promise<never> {
  return Promise.reject(
    new HoldpointError('config-invalid', 'There are no spaces here. Open a runtime on a store: holdpoint({ … }).'),
  )
}
