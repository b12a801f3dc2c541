/**
 * Whether an input fits a condition: yes, no, or unclear. Unclear is not no: a `deny` that skipped a call because a field was missing
 * would fail open, so what is unclear must never make a rule less strict.
 */
import { sameJson, type Json } from '../json.ts'
import { pointerParts, valuesAt } from './pointer.ts'
import type { Bounds, Condition } from './rule.ts'

export type Fit = 'yes' | 'no' | 'unclear'

/** How the elements of `*` are combined: every element must fit, or one is enough. */
export type Quantifier = 'every' | 'some'

/** Whether every condition fits. `input` is undefined if the tool's code gets a value that JSON cannot show. */
export function fitsAll(conditions: readonly Condition[], input: Json | undefined, quantifier: Quantifier): Fit {
  let fit: Fit = 'yes'
  for (const condition of conditions) {
    const each = testCondition(condition, input, quantifier)
    if (each === 'no') return 'no'
    if (each === 'unclear') fit = 'unclear'
  }
  return fit
}

function testCondition(condition: Condition, input: Json | undefined, quantifier: Quantifier): Fit {
  const parts = pointerParts(condition.at)
  if (!parts || input === undefined) return 'unclear'
  const fits = valuesAt(input, parts).map((value) => testValue(condition, value))
  const [decisive, other] = quantifier === 'every' ? (['no', 'yes'] as const) : (['yes', 'no'] as const)
  if (fits.includes(decisive)) return decisive
  return fits.includes('unclear') ? 'unclear' : other
}

function testValue(condition: Condition, value: Json | undefined): Fit {
  if (value === undefined) return 'unclear'
  if ('equals' in condition) return fitIf(sameJson(condition.equals, value))
  if ('in' in condition) return fitIf(condition.in.some((each) => sameJson(each, value)))
  if ('prefix' in condition) return typeof value === 'string' ? testPrefix(condition.prefix, value) : 'unclear'
  if ('range' in condition) return typeof value === 'number' ? fitIf(isWithin(condition.range, value)) : 'unclear'
  if ('length' in condition)
    return typeof value === 'string' || Array.isArray(value)
      ? fitIf(isWithin(condition.length, value.length))
      : 'unclear'
  return 'unclear'
}

/** A part `..` of a path or a web address leads out of the prefix, or into it. */
const PARENT = /(?:^|[\\/])(?:\.|%2e){2}(?:[\\/?#;]|%2f|%5c|$)/i
/** Parsers of web addresses skip them, so `.` and `.` on both sides of a tab are `..` to them. */
const SKIPPED = /[\t\n\r]/g

/** Whether a text has a part `..`, as a path or a web address has it. */
export function hasParentPart(text: string): boolean {
  return PARENT.test(text.replaceAll(SKIPPED, ''))
}

function testPrefix(prefix: string, value: string): Fit {
  if (/[\\/]/.test(prefix) && hasParentPart(value)) return 'unclear'
  return fitIf(value.startsWith(prefix))
}

function isWithin({ min = -Infinity, max = Infinity }: Bounds, value: number): boolean {
  return value >= min && value <= max
}

function fitIf(fits: boolean): Fit {
  return fits ? 'yes' : 'no'
}
