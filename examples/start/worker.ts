/** A program that carries out external calls, as it would run anywhere: with an address and a key. */
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
        return { tracking: `HP-${call.callId.slice(-6).toUpperCase()}` }
      },
    },
  })
}
