/**
 * Which results of tools are left out of the prompt because they are too old. It follows from the log alone, so that
 * every process leaves out the same; and nothing of the turn that is going on is ever too old.
 */
import type { Passage } from '../prompt/transcript.ts'
import type { Retention } from '../tool/tool-options.ts'

/** By the name of the tool; tools that are gone by what holds for all. */
export type RetentionOf = (tool: string) => Retention | undefined

/** For each passage, its calls whose results are left out. The last passage is the turn that is going on. */
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
