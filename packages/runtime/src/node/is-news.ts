import type { AnyActiveLog } from './active-logs.ts'

/** Most notifications are about appends of this process. */
export function isNews({ log }: AnyActiveLog, seq: number): boolean {
  return seq > log.state.seq || log.inDoubt
}
