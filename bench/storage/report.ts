/** The output of a benchmark at its end: one line of JSON, with each limit and whether it was met. */
import { availableParallelism, loadavg } from 'node:os'
import { rounded } from './statistics.ts'

export interface Limit {
  readonly what: string
  readonly value: number
  readonly most?: number
  readonly least?: number
}

export type Figure = number | string | null | readonly Figure[] | { readonly [name: string]: Figure }

export interface Report {
  readonly bench: string
  /** The ratio to the baseline, or to each baseline, of times per turn or of rates. */
  readonly ratio?: number | { readonly rows: number; readonly one: number }
  readonly limits: readonly Limit[]
  readonly figures: Readonly<Record<string, Figure>>
}

/** False when a limit was missed. */
export function print({ bench, ratio, limits, figures }: Report): boolean {
  const judged = limits.map((limit) => ({ ...limit, value: rounded(limit.value), ok: kept(limit) }))
  const ok = judged.every((limit) => limit.ok)
  const line = {
    bench,
    ...(ratio !== undefined && { ratio: tidy(ratio) }),
    ok,
    limits: judged,
    ...tidied(figures),
    // Readers of the figures need to know how busy the machine was.
    machine: { cores: availableParallelism(), load: rounded(loadavg()[0] ?? 0), node: process.versions.node },
  }
  console.log(JSON.stringify(line))
  return ok
}

export function progress(text: string): void {
  console.error(text)
}

function kept({ value, most = Infinity, least = -Infinity }: Limit): boolean {
  return value <= most && value >= least
}

function tidied(figures: Readonly<Record<string, Figure>>): Readonly<Record<string, Figure>> {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, tidy(figure)]))
}

function tidy(figure: Figure): Figure {
  if (typeof figure === 'number') return rounded(figure)
  if (typeof figure === 'string' || figure === null) return figure
  return Array.isArray(figure) ? figure.map(tidy) : tidied(figure as Readonly<Record<string, Figure>>)
}
