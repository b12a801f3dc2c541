/** The newest problems of a process, beside its log: the health page shows them. */
import type { LogLine } from './gateway-options.ts'

export interface RecentProblem {
  readonly at: number
  readonly message: string
  readonly code?: string
  readonly tenant?: string
}

type Log = (line: LogLine) => void

const KEPT = 20
const remembered = new WeakMap<Log, RecentProblem[]>()

/** The same log, which also keeps its newest problems. */
export function rememberingProblems(log: Log, now: () => number): Log {
  if (remembered.has(log)) return log
  const kept: RecentProblem[] = []
  const wrapped: Log = (line) => {
    if (line.event === 'problem') {
      const { message, code, tenant } = line
      kept.unshift({
        at: now(),
        message: message.slice(0, 500),
        ...(code !== undefined && { code }),
        ...(tenant !== undefined && { tenant }),
      })
      kept.length = Math.min(kept.length, KEPT)
    }
    log(line)
  }
  remembered.set(wrapped, kept)
  return wrapped
}

/** Newest first. */
export function recentProblems(log: Log): readonly RecentProblem[] {
  return remembered.get(log) ?? []
}
