/** Components for the calls of some tools, by tool name. */
import type { ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { PlainToolCall, type ToolCallProps, type ToolComponents } from '@holdpoint/ui'

export const toolComponents: ToolComponents = { by_name: { 'chart.show': Chart } }

interface Bar {
  readonly label: string
  readonly value: number
}

/** The input comes from the model and may not be a chart. Then the call is shown like any other. */
function Chart(props: ToolCallProps): ReactNode {
  const { call } = props
  const chart = call.state === 'settled' && call.outcome.ok ? chartOf(call.input) : undefined
  if (!chart) return <PlainToolCall {...props} />
  const most = Math.max(...chart.bars.map(({ value }) => value), 1)
  return (
    <figure className="grid gap-2 rounded-md border border-border bg-card px-4 py-3 text-sm">
      <figcaption className="font-medium">{chart.title}</figcaption>
      <table className="w-full">
        <caption className="sr-only">{chart.title}</caption>
        <tbody>
          {chart.bars.map(({ label, value }) => (
            <tr key={label}>
              <th scope="row" className="w-16 pe-3 text-start text-xs font-normal text-muted-foreground">
                {label}
              </th>
              <td>
                <span className="flex items-center gap-2">
                  <span
                    aria-hidden
                    className="h-3 rounded-e-sm bg-ring/70"
                    style={{ width: `${(value / most) * 80}%` }}
                  />
                  <span className="text-xs tabular-nums">{value}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function chartOf(value: Json): { readonly title: string; readonly bars: readonly Bar[] } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { title, bars } = value as { readonly title?: Json; readonly bars?: Json }
  if (typeof title !== 'string' || !Array.isArray(bars)) return undefined
  const good = bars.filter(isBar)
  return good.length > 0 && good.length === bars.length ? { title, bars: good } : undefined
}

function isBar(bar: unknown): bar is Bar {
  if (typeof bar !== 'object' || bar === null) return false
  const { label, value } = bar as { readonly label?: unknown; readonly value?: unknown }
  return typeof label === 'string' && typeof value === 'number' && value >= 0
}
