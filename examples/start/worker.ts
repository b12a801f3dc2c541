/** A program that carries out external calls, as it would run anywhere: with an address and a key. */
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

/** The same for the same call, should it be carried out twice. */
function trackingOf(callId: string): string {
  return `HP-${createHash('sha256').update(callId).digest('hex').slice(0, 8).toUpperCase()}`
}
