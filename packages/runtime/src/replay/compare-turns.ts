/** Compares the decisions of two turns on the same message. */
import { inputHash } from '@holdpoint/core/internal/tool/fingerprint'
import type { DecidedCall, DecidedStep, TurnDecisions } from './turn-decisions.ts'

/** In a step of both turns. A field that is left out has nothing in that turn. */
export type Difference =
  | { readonly step: number; readonly what: 'call'; readonly recorded?: DecidedCall; readonly replayed?: DecidedCall }
  | { readonly step: number; readonly what: 'text'; readonly recorded?: string; readonly replayed?: string }

export interface Comparison {
  /** The same calls with the same inputs in each step. The order inside a step and the order of keys do not count. */
  readonly sameCalls: boolean
  /** Tools that both asked for, in each step; inputs may differ. */
  readonly sameTools: boolean
  /** The same final text. */
  readonly sameText: boolean
  readonly differences: readonly Difference[]
}

export function compareTurns(recorded: TurnDecisions, replayed: TurnDecisions): Comparison {
  const steps = Math.max(recorded.steps.length, replayed.steps.length)
  const differences = Array.from({ length: steps }, (_, index) =>
    compareSteps(index + 1, recorded.steps[index], replayed.steps[index]),
  ).flat()
  const calls = differences.filter(({ what }) => what === 'call')
  return {
    sameCalls: calls.length === 0,
    sameTools: calls.every(({ recorded: had, replayed: has }) => had !== undefined && has !== undefined),
    sameText: recorded.text === replayed.text,
    differences,
  }
}

function compareSteps(
  step: number,
  recorded: DecidedStep | undefined,
  replayed: DecidedStep | undefined,
): readonly Difference[] {
  const left = [...(recorded?.calls ?? [])]
  const added = (replayed?.calls ?? []).filter((call) => !take(left, (each) => isSame(each, call)))
  // A call of the same tool with another input is one difference, not two.
  const calls = added.map((call): Difference => {
    const other = take(left, ({ name }) => name === call.name)
    return { step, what: 'call', ...(other && { recorded: other }), replayed: call }
  })
  const missing = left.map((call): Difference => ({ step, what: 'call', recorded: call }))
  return [...calls, ...missing, ...compareTexts(step, recorded?.text, replayed?.text)]
}

function compareTexts(step: number, recorded: string | undefined, replayed: string | undefined): readonly Difference[] {
  if ((recorded ?? '') === (replayed ?? '')) return []
  const texts = { ...(recorded !== undefined && { recorded }), ...(replayed !== undefined && { replayed }) }
  return [{ step, what: 'text', ...texts }]
}

function take(calls: DecidedCall[], wanted: (call: DecidedCall) => boolean): DecidedCall | undefined {
  const at = calls.findIndex(wanted)
  return at === -1 ? undefined : calls.splice(at, 1)[0]
}

function isSame(a: DecidedCall, b: DecidedCall): boolean {
  return a.name === b.name && inputHash(a.input) === inputHash(b.input)
}
