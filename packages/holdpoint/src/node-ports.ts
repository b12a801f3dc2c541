/** The ports on Node: time, randomness, cron lines and a validator for raw JSON Schemas. */
import { randomFillSync } from 'node:crypto'
import { messageWithCauses, type Ports } from '@holdpoint/core'
import { nextTime } from './next-time.ts'
import { compileJsonSchema } from './json-schema.ts'

/** The longest delay of a Node timer. A longer one fires at once. */
const LONGEST_TIMER = 2_147_483_647

export const nodePorts: Ports = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal, background) => {
    for (let left = ms; left > 0 && !signal.aborted; left -= LONGEST_TIMER)
      await wait(Math.min(left, LONGEST_TIMER), signal, background)
  },
  keepAlive,
  id: newId,
  random: () => Math.random(),
  problem: (error) => process.emitWarning(messageWithCauses(error), 'HoldpointWarning'),
  compileJsonSchema,
  nextTime,
}

function wait(ms: number, signal: AbortSignal, background: 'background' | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (background) timer.unref()
    signal.addEventListener('abort', done, { once: true })
  })
}

/** How many callers keep the process alive, all with one timer. */
let keeping = 0
let timer: ReturnType<typeof setTimeout> | undefined

function keepAlive(): () => void {
  if (keeping++ === 0) timer = setInterval(() => {}, LONGEST_TIMER)
  let released = false
  return () => {
    if (released) return
    released = true
    if (--keeping === 0) clearInterval(timer)
  }
}

const ID_BYTES = 16
/** Random bytes are fetched in bulk: one system call for 256 ids. Each byte is used once and then overwritten. */
const pool = Buffer.alloc(256 * ID_BYTES)
let used = pool.length

function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('base64url', used - ID_BYTES, used)
}
