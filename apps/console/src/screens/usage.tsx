/** What the tenant used: tokens and cost by day, agent and model, and calls by tool. For administrators. */
import { useEffect, useState, type ReactNode } from 'react'
import type { UsageReport } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { Button, spanOf } from '@holdpoint/ui'
import { Empty, ErrorNotice, Screen } from '../parts.tsx'
import { Bars } from '../usage/bars.tsx'
import { modelRows, toolRows, withEmptyDays, type UsageRow } from '../usage/group-usage.ts'

const PERIODS = [
  [1, 'last day'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
] as const
const DAY_MS = 86_400_000

export function UsageScreen(): ReactNode {
  const [days, setDays] = useState<number>(30)
  const { report, busy, error } = useReport(days)
  const empty = report && report.models.length === 0 && report.tools.length === 0
  return (
    <Screen
      wide
      title="Usage"
      note="Tokens, cost and calls, computed from the logs. Days are in UTC."
      actions={
        <div role="group" aria-label="Period" className="flex flex-wrap gap-1.5">
          {PERIODS.map(([period, name]) => (
            <Button
              key={period}
              small
              look={period === days ? 'strong' : 'plain'}
              aria-pressed={period === days}
              onClick={() => setDays(period)}
            >
              {name}
            </Button>
          ))}
        </div>
      }
    >
      {error && <ErrorNotice error={error} />}
      <p role="status" className="text-xs text-muted-foreground">
        {report === undefined ? 'Counting…' : countedWords(report, busy)}
      </p>
      {empty && !busy && <Empty title="Nothing was used in this time" />}
      {report && !empty && <Report report={report} />}
    </Screen>
  )
}

function Report({ report }: { readonly report: UsageReport }): ReactNode {
  const { currency } = report
  return (
    <>
      <Models title="By day" rows={withEmptyDays(modelRows(report, 'day'))} currency={currency} of="Day" />
      <Models title="By model" rows={modelRows(report, 'model')} currency={currency} of="Model" />
      <Models title="By agent" rows={modelRows(report, 'agent')} currency={currency} of="Agent" />
      <Tools report={report} />
    </>
  )
}

const NEWEST_DAYS = 31

function Models({
  title,
  rows,
  currency,
  of,
}: {
  readonly title: string
  readonly rows: readonly UsageRow[]
  readonly currency: string | undefined
  readonly of: string
}): ReactNode {
  const money = (cost: number | undefined): string => (cost === undefined ? 'no price' : moneyWords(cost, currency))
  const shown = rows.slice(-NEWEST_DAYS)
  return (
    <section aria-label={title} className="grid items-start gap-5 lg:grid-cols-2">
      <Bars
        title={`Tokens ${title.toLowerCase()}`}
        parts={['input', 'output']}
        bars={shown.map(({ name, inputTokens, outputTokens }) => ({
          name,
          parts: [inputTokens, outputTokens],
          words: short(inputTokens + outputTokens),
        }))}
      />
      <Table
        label={`Numbers ${title.toLowerCase()}`}
        titles={[of, 'Replies', 'Input', 'Output', 'Cost']}
        rows={rows.map(({ name, calls, inputTokens, outputTokens, cost, unpriced }) => [
          name,
          whole(calls),
          whole(inputTokens),
          whole(outputTokens),
          calls === 0
            ? ''
            : `${money(cost)}${cost !== undefined && unpriced > 0 ? ` + ${unpriced} without a price` : ''}`,
        ])}
      />
    </section>
  )
}

function Tools({ report }: { readonly report: UsageReport }): ReactNode {
  const rows = toolRows(report)
  if (rows.length === 0) return null
  return (
    <section aria-label="By tool" className="grid items-start gap-5 lg:grid-cols-2">
      <Bars
        title="Calls by tool"
        parts={['done', 'failed']}
        bars={rows.map(({ name, calls, failed }) => ({ name, parts: [calls - failed, failed], words: whole(calls) }))}
      />
      <Table
        label="Numbers by tool"
        titles={['Tool', 'Calls', 'Waited', 'Failed', 'Time it ran']}
        rows={rows.map(({ name, calls, held, failed, runMs }) => [
          name,
          whole(calls),
          whole(held),
          whole(failed),
          runMs === 0 ? '0 s' : spanOf(runMs),
        ])}
      />
    </section>
  )
}

function Table({
  label,
  titles,
  rows,
}: {
  readonly label: string
  readonly titles: readonly string[]
  readonly rows: readonly (readonly string[])[]
}): ReactNode {
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-lg border border-border bg-card outline-none focus-visible:ring-2 focus-visible:ring-ring"
    >
      <table className="w-full border-collapse text-xs tabular-nums">
        <thead className="text-muted-foreground">
          <tr>
            {titles.map((title, index) => (
              <th
                key={title}
                scope="col"
                className={`px-3 py-2 font-normal ${index === 0 ? 'text-start' : 'text-end'}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', ...cells]) => (
            <tr key={name} className="border-t border-border">
              <th scope="row" className="px-3 py-1.5 text-start font-normal [overflow-wrap:anywhere]">
                {name}
              </th>
              {cells.map((cell, index) => (
                <td key={index} className="px-3 py-1.5 text-end">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Counted {
  readonly report?: UsageReport
  readonly busy: boolean
  readonly error?: Error
}

/** The report so far is shown while the rest is counted. */
function useReport(days: number): Counted {
  const client = useClient()
  const [counted, setCounted] = useState<Counted>({ busy: true })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const show = (next: Counted): void => void (signal.aborted || setCounted(next))
    show({ busy: true })
    const until = Date.now()
    client.usage
      .report({ since: until - days * DAY_MS, until }, { signal, counted: (report) => show({ report, busy: true }) })
      .then(
        (report) => show({ report, busy: false }),
        (error: unknown) => show({ busy: false, error: error instanceof Error ? error : new Error(String(error)) }),
      )
    return () => stop.abort()
  }, [client, days])
  return counted
}

function countedWords({ conversations, cut, unreadable }: UsageReport, busy: boolean): string {
  const all = `${whole(conversations)} ${conversations === 1 ? 'conversation' : 'conversations'}`
  const long = cut === 0 ? '' : ` Of ${whole(cut)} long ones, only the newest events were counted.`
  const damaged = unreadable === 0 ? '' : ` ${whole(unreadable)} could not be read: their logs are damaged.`
  return `${busy ? `Counting… ${all} so far.` : `Counted ${all}.`}${long}${damaged}`
}

function whole(count: number): string {
  return count.toLocaleString('en')
}

function short(count: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count)
}

function moneyWords(cost: number, currency = ''): string {
  const digits = cost !== 0 && cost < 1 ? 4 : 2
  return `${cost.toFixed(digits)} ${currency}`.trim()
}
