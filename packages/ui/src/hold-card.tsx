/** Whatever waits, with what can be said to it. */
import type { ReactNode } from 'react'
import { ApprovalCard, type ApprovalCardProps } from './approval-card.tsx'
import { askedByWords } from './asked-by-words.ts'
import { ElicitationForm } from './elicitation-form.tsx'
import { JsonValue } from './json-value.tsx'
import { KeepPlace } from './keep-place.tsx'
import { ShownText } from './shown-text.tsx'
import { Ago, Countdown } from './time.tsx'

export interface HoldCardProps extends ApprovalCardProps {
  /** It no longer waits. Its place is kept for a while. */
  readonly gone?: boolean
}

export function HoldCard({ gone = false, ...props }: HoldCardProps): ReactNode {
  return <KeepPlace waits={!gone}>{gone ? <Gone hold={props.hold} /> : <Waiting {...props} />}</KeepPlace>
}

function Waiting(props: ApprovalCardProps): ReactNode {
  const { hold } = props
  switch (hold.kind) {
    case 'approval':
      return <ApprovalCard {...props} />
    case 'elicitation':
      return <ElicitationForm {...props} />
    case 'client':
      return <Elsewhere {...props} whom="a page of the person it is about" />
    case 'external':
      return <Elsewhere {...props} whom="a worker" />
  }
}

function Gone({ hold: { name } }: Pick<ApprovalCardProps, 'hold'>): ReactNode {
  return (
    <p role="status" className="rounded-lg border border-dashed border-border px-4 py-3 text-sm text-muted-foreground">
      <code className="font-mono">
        <ShownText text={name} />
      </code>{' '}
      no longer waits: it was answered, or its time was over.
    </p>
  )
}

function Elsewhere({ hold, agent, origin, whom }: ApprovalCardProps & { readonly whom: string }): ReactNode {
  const askedBy = askedByWords(hold)
  return (
    <section className="grid grid-cols-1 gap-2 rounded-lg border border-border bg-card px-4 py-3 text-sm">
      <p>
        <code className="font-mono">
          <ShownText text={hold.name} />
        </code>{' '}
        waits for {whom}.
      </p>
      <JsonValue value={hold.input} />
      <p className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
        {agent !== undefined && (
          <span>
            agent <ShownText text={agent} />
          </span>
        )}
        {askedBy !== undefined && (
          <span>
            asked by <ShownText text={askedBy} />
          </span>
        )}
        <span>
          held <Ago at={hold.heldAt} />
        </span>
        <Countdown until={hold.expiresAt} />
        {origin}
      </p>
    </section>
  )
}
