/** The rows of the usage page: the report, added up by day, agent or model, and by tool. */
import type { UsageReport } from '@holdpoint/client'

type GroupBy = 'day' | 'agent' | 'model'

export interface UsageRow {
  readonly name: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Undefined when no model of the row has a price. */
  readonly cost: number | undefined
  /** Replies of models without a price. */
  readonly unpriced: number
}

export interface ToolRow {
  readonly name: string
  readonly calls: number
  readonly held: number
  readonly failed: number
  /** In milliseconds. */
  readonly runMs: number
}

/** By day in order of time, otherwise the largest first. */
export function modelRows({ models }: UsageReport, by: GroupBy): readonly UsageRow[] {
  const rows = [...Map.groupBy(models, (row) => row[by])].map(([name, found]): UsageRow => {
    const priced = found.filter(({ cost }) => cost !== undefined)
    return {
      name: name === '' ? 'not named' : name,
      calls: sum(found, ({ calls }) => calls),
      inputTokens: sum(found, ({ inputTokens }) => inputTokens),
      outputTokens: sum(found, ({ outputTokens }) => outputTokens),
      cost: priced.length === 0 ? undefined : sum(priced, ({ cost = 0 }) => cost),
      unpriced: sum(found, ({ cost, calls }) => (cost === undefined ? calls : 0)),
    }
  })
  return by === 'day'
    ? rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    : rows.toSorted((a, b) => b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens)
}

export function toolRows({ tools }: UsageReport): readonly ToolRow[] {
  return [...Map.groupBy(tools, ({ tool }) => tool)]
    .map(([name, found]) => ({
      name,
      calls: sum(found, ({ calls }) => calls),
      held: sum(found, ({ held }) => held),
      failed: sum(found, ({ failed }) => failed),
      runMs: sum(found, ({ runMs }) => runMs),
    }))
    .toSorted((a, b) => b.calls - a.calls)
}

/** Every day between the first and the last, so that a day without use is a gap and not left out. */
export function withEmptyDays(rows: readonly UsageRow[]): readonly UsageRow[] {
  const [first, last] = [rows[0]?.name, rows.at(-1)?.name]
  if (first === undefined || last === undefined) return rows
  const found = new Map(rows.map((row) => [row.name, row]))
  const all: UsageRow[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000) {
    const name = new Date(at).toISOString().slice(0, 10)
    all.push(found.get(name) ?? { name, calls: 0, inputTokens: 0, outputTokens: 0, cost: undefined, unpriced: 0 })
  }
  return all
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}
