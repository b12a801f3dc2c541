import type { ReactNode } from 'react'
import { ticksOf } from './ticks.ts'

/** A scale of round times. */
export function Ruler({
  from,
  to,
  most,
}: {
  readonly from: number
  readonly to: number
  readonly most: number
}): ReactNode {
  // A tick at the very end has no room for its label.
  const ticks = ticksOf(to - from, most).filter(({ at }) => at <= (to - from) * 0.95)
  return (
    <div
      aria-hidden
      className="relative h-7 overflow-hidden border-b border-border text-[0.7rem] text-muted-foreground tabular-nums"
    >
      {ticks.map(({ at, label }) => (
        <span
          key={at}
          className="absolute top-0 h-full border-s border-border/70 ps-1 leading-7 whitespace-nowrap"
          style={{ left: `${(at / (to - from)) * 100}%` }}
        >
          {label}
        </span>
      ))}
    </div>
  )
}
