import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { LogEvent, Store } from 'holdpoint'

/** A log in a file. A toy: one process at a time, and nothing against power loss. */
export function fileStore(file: string): Store {
  const log = (): LogEvent[] => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LogEvent[]) : [])
  return {
    read: async (_conversation, afterSeq) => log().slice(afterSeq),
    append: async (_conversation, expectedSeq, events, at) => {
      const before = log()
      if (before.length !== expectedSeq) return 'conflict'
      const written = events.map((event, index): LogEvent => ({ ...event, seq: expectedSeq + index + 1, at }))
      writeFileSync(`${file}.new`, JSON.stringify([...before, ...written]))
      renameSync(`${file}.new`, file)
      return written
    },
  }
}
