/** What Node supplies to the core: time, chance, and a checker of raw JSON Schemas. */
import { randomBytes } from 'node:crypto'
import type { Ports } from '@holdpoint/core'
import { compileJsonSchema } from './json-schema.ts'

/** The longest a Node timer can wait; beyond that it fires at once. */
const LONGEST_TIMER = 2_147_483_647

export const nodePorts: Ports = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER))
      signal.addEventListener('abort', done, { once: true })
    }),
  id: () => randomBytes(16).toString('base64url'),
  random: () => Math.random(),
  compileJsonSchema,
}
