/** A worker for external calls. It needs only the gateway's address and a key, so it could run anywhere. */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, worker, type Worker } from '@holdpoint/client'

export function parcelWorker(url: string, key: string): Worker {
  return worker(connect({ url, key }), {
    tools: {
      'parcel.ship': async (_input, { call, progress, signal }) => {
        for (const [done, step] of ['packing', 'weighing', 'handing over'].entries()) {
          await progress({ percent: done * 40, message: step })
          await pause(600, undefined, { signal })
        }
        return { tracking: trackingOf(call.callId) }
      },
    },
  })
}

/** The same call gets the same number, even if it runs twice. */
function trackingOf(callId: string): string {
  return `HP-${createHash('sha256').update(callId).digest('hex').slice(0, 8).toUpperCase()}`
}
