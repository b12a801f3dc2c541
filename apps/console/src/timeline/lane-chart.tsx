/** The lanes, drawn to scale. Each bar and each mark is a button that shows its event. */
import type { CSSProperties, ReactNode } from 'react'
import { useNow } from '@holdpoint/ui'
import type { Bar, BarKind, Lane, Mark, Timeline } from './lanes.ts'
import { Ruler } from './ruler.tsx'
import { exactSpan } from './ticks.ts'

export interface LaneChartProps {
  readonly timeline: Timeline
  readonly lanes: readonly Lane[]
  readonly window: { readonly from: number; readonly to: number | undefined }
  /** The width of the chart, as a multiple of the screen. */
  readonly zoom: number
  readonly chosen: number | undefined
  readonly onChoose: (seq: number) => void
}

const BARS: Readonly<Record<BarKind, string>> = {
  turn: 'bg-muted-foreground/25',
  model: 'bg-ring/35',
  held: 'bg-held/30 border border-held/70',
  away: 'bg-held/10 border border-dashed border-held/70',
  running: 'bg-ok/40',
  ready: 'bg-ok/20',
}

/** The number of ticks per screen width. */
const TICKS = 7
/** A bar wider than this share of the screen has a text. */
const ROOM = 0.12

function lasted(bar: Bar, end: number): string {
  return bar.to === undefined ? `for ${exactSpan(end - bar.from)} so far` : exactSpan(end - bar.from)
}

export function LaneChart({ timeline, lanes, window, zoom, chosen, onChoose }: LaneChartProps): ReactNode {
  const now = useNow()
  const isOpen = timeline.open && window.to === undefined
  const from = window.from
  const to = Math.max(window.to ?? (isOpen ? Math.max(now, timeline.to) : timeline.to), from + 1)
  const left = (at: number): string => `${((Math.min(Math.max(at, from), to) - from) / (to - from)) * 100}%`
  const width = (start: number, end: number): string =>
    `${((Math.min(end, to) - Math.max(start, from)) / (to - from)) * 100}%`
  return (
    <div className="grid grid-cols-[7.5rem_1fr] overflow-hidden rounded-lg border border-border bg-card sm:grid-cols-[11rem_1fr]">
      <div className="border-e border-border">
        <div className="h-7 border-b border-border px-3 text-xs leading-7 text-muted-foreground">
          {exactSpan(to - from)} total
        </div>
        {lanes.map((lane) => (
          <div
            key={lane.id}
            className="h-8 truncate border-b border-border/60 px-3 font-mono text-xs leading-8 last:border-b-0"
            title={lane.id}
          >
            {lane.label}
          </div>
        ))}
      </div>
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div
        role="region"
        aria-label="Lanes"
        tabIndex={0}
        className="overflow-x-auto outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
      >
        <div className="relative" style={{ width: `${zoom * 100}%` }}>
          <Ruler from={from} to={to} most={TICKS * zoom} />
          {lanes.map((lane) => (
            <div
              key={lane.id}
              role="group"
              aria-label={lane.label}
              className="relative h-8 border-b border-border/60 last:border-b-0"
            >
              {lane.bars
                .filter((bar) => (bar.to ?? to) >= from && bar.from <= to)
                .map((bar) => (
                  <BarButton
                    key={`${bar.kind} ${bar.seq}`}
                    bar={bar}
                    lane={lane}
                    now={to}
                    roomy={(((bar.to ?? to) - bar.from) / (to - from)) * zoom > ROOM}
                    style={{ left: left(bar.from), width: width(bar.from, bar.to ?? to) }}
                    onChoose={onChoose}
                  />
                ))}
              {placed(
                lane.marks.filter(({ at }) => at >= from && at <= to),
                (at) => ((at - from) / (to - from)) * zoom,
              ).map(({ mark: { at, seq, type, bad }, nth, of }) => (
                <button
                  key={seq}
                  type="button"
                  title={`${seq} ${type}`}
                  aria-label={`Event ${seq}, ${type}`}
                  aria-pressed={chosen === seq}
                  onClick={() => onChoose(seq)}
                  className={`absolute w-1 -translate-x-1/2 rounded-full outline-none hover:w-2 focus-visible:ring-2 focus-visible:ring-ring aria-pressed:ring-2 aria-pressed:ring-foreground ${bad ? 'bg-destructive' : 'bg-foreground/60'}`}
                  style={{ left: left(at), top: 2 + (nth * 28) / of, height: Math.max(3, 28 / of - 1) }}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function BarButton({
  bar,
  lane,
  now,
  roomy,
  style,
  onChoose,
}: {
  readonly bar: Bar
  readonly lane: Lane
  readonly now: number
  /** The bar is wide enough for a text. */
  readonly roomy: boolean
  readonly style: CSSProperties
  readonly onChoose: (seq: number) => void
}): ReactNode {
  const words = `${bar.label}, ${lasted(bar, bar.to ?? now)}`
  return (
    <button
      type="button"
      title={`${lane.label}: ${words}`}
      aria-label={`${lane.label}: ${words}`}
      onClick={() => onChoose(bar.seq)}
      className={`absolute top-1.5 h-5 min-w-1 truncate rounded-sm px-1.5 text-start text-[0.7rem] leading-4.5 outline-none hover:brightness-95 focus-visible:ring-2 focus-visible:ring-ring ${BARS[bar.kind]}`}
      style={style}
    >
      {roomy && words}
    </button>
  )
}

interface Placed {
  readonly mark: Mark
  readonly nth: number
  readonly of: number
}

/** Marks closer than this share of the screen would cover each other, so they are drawn one above the other. */
const NEAR = 0.009

function placed(marks: readonly Mark[], shareOf: (at: number) => number): readonly Placed[] {
  const groups: Mark[][] = []
  for (const mark of marks) {
    const last = groups.at(-1)
    const first = last?.[0]
    if (last && first && shareOf(mark.at) - shareOf(first.at) < NEAR) last.push(mark)
    else groups.push([mark])
  }
  return groups.flatMap((group) => group.map((mark, nth) => ({ mark, nth, of: group.length })))
}

export function Legend(): ReactNode {
  const entries: readonly (readonly [BarKind, string])[] = [
    ['model', 'model call'],
    ['held', 'waits for a person'],
    ['away', 'waits for a browser or a worker'],
    ['ready', 'approved'],
    ['running', 'runs'],
  ]
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground">
      {entries.map(([kind, words]) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span aria-hidden className={`h-3 w-5 rounded-sm ${BARS[kind]}`} />
          {words}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="h-3 w-1 rounded-full bg-foreground/70" />
        an event
      </li>
    </ul>
  )
}
