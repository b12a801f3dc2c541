/** Whatever waits, with what can be said to it. */
import type { ReactNode } from 'react'
import { ApprovalCard, type ApprovalCardProps } from './approval-card.tsx'
import { ElicitationForm } from './elicitation-form.tsx'
import { JsonValue } from './json-value.tsx'
import { ShownText } from './shown-text.tsx'
import { Ago, Countdown } from './time.tsx'

export function HoldCard(props: ApprovalCardProps): ReactNode {
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

function Elsewhere({ hold, agent, origin, whom }: ApprovalCardProps & { readonly whom: string }): ReactNode {
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
        <span>
          held <Ago at={hold.heldAt} />
        </span>
        <Countdown until={hold.expiresAt} />
        {origin}
      </p>
    </section>
  )
}
