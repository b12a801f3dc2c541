/** The ticks of a time scale, and durations with the precision that the scale needs. */
import { spanOf } from '@holdpoint/ui'

export interface Tick {
  /** Milliseconds from the beginning. */
  readonly at: number
  readonly label: string
}

const UNITS: readonly (readonly [name: string, ms: number, steps: readonly number[]])[] = [
  ['ms', 1, [1, 2, 5, 10, 20, 50, 100, 200, 500]],
  ['s', 1000, [1, 2, 5, 10, 15, 30]],
  ['min', 60_000, [1, 2, 5, 10, 15, 30]],
  ['h', 3_600_000, [1, 2, 3, 6, 12]],
  ['d', 86_400_000, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]],
]

/** At most about `most` ticks for any span, with different labels. */
export function ticksOf(span: number, most: number): readonly Tick[] {
  for (const [name, ms, steps] of UNITS)
    for (const step of steps)
      if (span / (step * ms) <= most)
        return Array.from({ length: Math.floor(span / (step * ms)) + 1 }, (_, nth) => ({
          at: nth * step * ms,
          label: nth === 0 ? '0' : `${nth * step} ${name}`,
        }))
  return [{ at: 0, label: '0' }]
}

/** Below a minute, with decimals (`1.25 s`), so that events close together have different times. */
export function exactSpan(ms: number): string {
  if (ms < 1000 || ms >= 60_000) return spanOf(ms)
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}
