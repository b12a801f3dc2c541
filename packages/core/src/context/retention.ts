/**
 * Finds the results of tools that are too old for the prompt. It depends on the log only, so every process leaves out the same
 * results. Results of the current turn are never too old.
 */
import type { Passage } from '../prompt/transcript.ts'
import type { Retention } from '../tool/tool-options.ts'

/** The retention of a tool, by its name. Tools that no longer exist have the agent's default. */
export type RetentionOf = (tool: string) => Retention | undefined

/** For each passage, the calls whose results are left out. The last passage is the current turn. */
export function tooOld(passages: readonly Passage[], retentionOf: RetentionOf): readonly ReadonlySet<string>[] {
  const newer = new Map<string, number>()
  const stale = passages.map((): Set<string> => new Set())
  for (let index = passages.length - 1; index >= 0; index--) {
    const age = passages.length - 1 - index
    for (const { callId, name } of passages[index]!.calls.toReversed()) {
      const after = newer.get(name) ?? 0
      newer.set(name, after + 1)
      if (age > 0 && isTooOld(retentionOf(name), age, after)) stale[index]!.add(callId)
    }
  }
  return stale
}

/** `age` in turns, `after` in results of the same tool. */
function isTooOld(retention: Retention | undefined, age: number, after: number): boolean {
  if (retention === undefined || retention === 'keep') return false
  const { turns = Infinity, last = Infinity } = retention
  return age > turns || after >= last
}
