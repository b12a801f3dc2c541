/** The card for a hold of any kind. */
import type { ReactNode } from 'react'
import { ApprovalCard, type ApprovalCardProps } from './approval-card.tsx'
import { askedByWords, requesterIds } from './asked-by-words.ts'
import { ElicitationForm } from './elicitation-form.tsx'
import { HoldPeople } from './hold-people.tsx'
import { HoldDiscussion } from './hold-discussion.tsx'
import { JsonValue } from './json-value.tsx'
import { KeepPlace } from './keep-place.tsx'
import { usePeopleNames } from './people-names.ts'
import { ShownText } from './shown-text.tsx'
import { Ago, Countdown } from './time.tsx'

export interface HoldCardProps extends ApprovalCardProps {
  /** The hold was answered or expired. Its place is kept for a while. */
  readonly gone?: boolean
}

export function HoldCard({ gone = false, ...props }: HoldCardProps): ReactNode {
  return <KeepPlace waits={!gone}>{gone ? <NoLongerWaiting hold={props.hold} /> : <OpenHold {...props} />}</KeepPlace>
}

function OpenHold(props: ApprovalCardProps): ReactNode {
  const { hold } = props
  switch (hold.kind) {
    case 'approval':
      return <ApprovalCard {...props} />
    case 'elicitation':
      return <ElicitationForm {...props} />
    case 'client':
      return <WaitsElsewhere {...props} whom="the user’s browser" />
    case 'external':
      return <WaitsElsewhere {...props} whom="a worker" />
  }
}

function NoLongerWaiting({ hold: { name } }: Pick<ApprovalCardProps, 'hold'>): ReactNode {
  return (
    <p role="status" className="rounded-lg border border-dashed border-border px-4 py-3 text-sm text-muted-foreground">
      <code className="font-mono">
        <ShownText text={name} />
      </code>{' '}
      is no longer waiting: it was answered, or it expired.
    </p>
  )
}

function WaitsElsewhere({
  hold,
  agent,
  origin,
  whom,
  discussion,
}: ApprovalCardProps & { readonly whom: string }): ReactNode {
  const askedBy = askedByWords(hold, usePeopleNames())
  return (
    <section className="grid grid-cols-1 gap-2 rounded-lg border border-border bg-card px-4 py-3 text-sm">
      <p>
        <code className="font-mono">
          <ShownText text={hold.name} />
        </code>{' '}
        is waiting for {whom}.
      </p>
      <JsonValue value={hold.input} />
      <p className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
        {agent !== undefined && (
          <span>
            agent <ShownText text={agent} />
          </span>
        )}
        {askedBy !== undefined && (
          <span title={requesterIds(hold)}>
            asked by <ShownText text={askedBy} />
          </span>
        )}
        <span>
          held <Ago at={hold.heldAt} />
        </span>
        <Countdown until={hold.expiresAt} />
        {origin}
      </p>
      <HoldPeople hold={hold} />
      <HoldDiscussion hold={hold} discussion={discussion} />
    </section>
  )
}
