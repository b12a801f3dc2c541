import * as Bar from '@radix-ui/react-progress'
import type { ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { JsonValue } from './json-value.tsx'
import { isObject } from './schema.ts'
import { ShownText } from './shown-text.tsx'

/**
 * The newest progress of a call: a bar if it has a share or a percentage, and its text. Before the first progress, a bar
 * without a value.
 */
export function Progress({ value }: { readonly value: Json | undefined }): ReactNode {
  if (value === undefined) return <IndeterminateBar />
  const { percent, text } = read(value)
  return (
    <div className="grid grid-cols-1 gap-1 text-xs text-muted-foreground">
      {percent !== undefined && (
        <div className="flex items-center gap-2">
          <Bar.Root value={percent} aria-label="Progress" className="h-1.5 grow overflow-hidden rounded-full bg-muted">
            <Bar.Indicator
              className="h-full origin-left bg-ring transition-transform duration-300 rtl:origin-right"
              style={{ transform: `scaleX(${percent / 100})` }}
            />
          </Bar.Root>
          <span className="w-9 text-end tabular-nums">{Math.round(percent)}%</span>
        </div>
      )}
      {text !== undefined ? <ShownText text={text} /> : percent === undefined && <JsonValue value={value} depth={1} />}
    </div>
  )
}

function IndeterminateBar(): ReactNode {
  return (
    <Bar.Root value={null} aria-label="Progress" className="h-1.5 overflow-hidden rounded-full bg-muted">
      <Bar.Indicator className="h-full w-full animate-pulse bg-ring/40 motion-reduce:animate-none" />
    </Bar.Root>
  )
}

function read(value: Json): { readonly percent?: number; readonly text?: string } {
  if (typeof value === 'string') return { text: value }
  if (typeof value === 'number') return { percent: limited(value <= 1 ? value * 100 : value) }
  if (!isObject(value)) return {}
  const { percent, done, total, message, text, step } = value
  const share =
    typeof percent === 'number'
      ? percent
      : typeof done === 'number' && typeof total === 'number' && total > 0
        ? (done / total) * 100
        : undefined
  const words = [message, text, step].find((each) => typeof each === 'string')
  return {
    ...(share !== undefined && { percent: limited(share) }),
    ...(words !== undefined && { text: words }),
  }
}

function limited(percent: number): number {
  return Math.max(0, Math.min(100, percent))
}
