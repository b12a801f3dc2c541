/**
 * A bar chart of numbers. Each bar has its name and its number as text, and its two parts differ by pattern as well as by
 * colour, so it is readable in grey, in print and without seeing it.
 */
import type { ReactNode } from 'react'

export interface Bar {
  readonly name: string
  /** Input and output, or only one number. */
  readonly parts: readonly number[]
  readonly words: string
}

export function Bars({
  title,
  parts,
  bars,
}: {
  readonly title: string
  /** The names of the parts. */
  readonly parts: readonly string[]
  readonly bars: readonly Bar[]
}): ReactNode {
  const most = Math.max(1e-9, ...bars.map((bar) => totalOf(bar)))
  return (
    <figure className="grid gap-2">
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm font-medium">
        {title}
        {parts.length > 1 &&
          parts.map((part, index) => (
            <span key={part} className="flex items-center gap-1.5 text-xs font-normal text-muted-foreground">
              <svg aria-hidden viewBox="0 0 14 10" className="h-2.5 w-3.5">
                <Fill index={index} x={0} width={14} height={10} />
              </svg>
              {part}
            </span>
          ))}
      </figcaption>
      <ul className="grid gap-1">
        {bars.map((bar) => (
          <li
            key={bar.name}
            className="grid grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-2 text-xs max-sm:grid-cols-[5.5rem_minmax(0,1fr)_auto]"
          >
            <span className="truncate" title={bar.name}>
              {bar.name}
            </span>
            <svg aria-hidden viewBox="0 0 100 10" preserveAspectRatio="none" className="h-4 w-full">
              {bar.parts.map((part, index) => (
                <Fill
                  key={index}
                  index={index}
                  x={(sumOf(bar.parts.slice(0, index)) / most) * 100}
                  width={(part / most) * 100}
                  height={10}
                />
              ))}
            </svg>
            <span className="text-end tabular-nums">{bar.words}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}

/** The first part is filled, the second one has stripes. */
function Fill({
  index,
  x,
  width,
  height,
}: {
  readonly index: number
  readonly x: number
  readonly width: number
  readonly height: number
}): ReactNode {
  if (width <= 0) return null
  if (index === 0) return <rect x={x} width={width} height={height} className="fill-ring" />
  const stripes = Math.max(1, Math.round(width / 2))
  return (
    <g>
      <rect x={x} width={width} height={height} className="fill-ring/20" />
      {Array.from({ length: stripes }, (_, nth) => (
        <rect
          key={nth}
          x={x + (nth * width) / stripes}
          width={width / stripes / 2}
          height={height}
          className="fill-ring"
        />
      ))}
    </g>
  )
}

function totalOf({ parts }: Bar): number {
  return sumOf(parts)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
