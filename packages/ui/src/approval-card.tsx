/**
 * Asks somebody whether a call may run, and tells them the truth about it: what is shown is what will run, from the log,
 * and never what the model says about it. What would run is bound to the answer: the gateway refuses a yes to anything else.
 */
import { useId, useState, type ReactNode } from 'react'
import type { Resolution, ResolveAnswer, ViewCall, ViewHold } from '@holdpoint/client'
import { AnswerRow } from './answer-row.tsx'
import { ApprovalEdit } from './approval-edit.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import { Button } from './button.tsx'
import { useFolds } from './folds.ts'
import { JsonChanges } from './json-changes-list.tsx'
import { changesBetween } from './json-changes.ts'
import { RejectReason } from './reject-reason.tsx'
import { ShownText } from './shown-text.tsx'
import { Countdown } from './time.tsx'
import { useResolve, type Resolving } from './use-resolve.ts'
import { VerdictNotice } from './verdict-notice.tsx'
import { Folded, WhatRuns } from './what-runs.tsx'

export interface ApprovalCardProps {
  readonly hold: ViewHold
  readonly agent?: string | undefined
  /** What was said to earlier holds of the same call. */
  readonly resolved?: ViewCall['resolved'] | undefined
  /** What else is to be said about where it comes from. */
  readonly origin?: ReactNode
  readonly onResolve: (resolution: Resolution) => Promise<ResolveAnswer>
}

type Mode = 'deciding' | 'editing' | 'rejecting'

const CAUSES: Readonly<Record<ViewHold['cause'], string>> = {
  tool: 'This tool asks before it runs.',
  asked: 'The tool itself asks.',
  lost: 'The process that ran it died. Whether it had its effect is not known: approve runs it again.',
  changed: 'The tool was changed after it was approved.',
  manual: 'It is left to you to carry out.',
}

export function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const { hold, onResolve } = props
  const [chosen, setMode] = useState<Mode>('deciding')
  const resolving = useResolve(onResolve, `${boundTo(hold)} ${chosen}`)
  const { answer, problem, over, resolve } = resolving
  const folds = useFolds()
  const mode = over ? 'deciding' : chosen
  const title = useId()
  const { name, reason, cause, input } = hold
  return (
    <section aria-labelledby={title} className="overflow-hidden rounded-lg border border-held/40 bg-card text-sm">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-held/30 bg-held-muted px-4 py-2.5">
        <h3 id={title} dir="auto" className="font-medium">
          Approve{' '}
          <code className="font-mono text-[0.95em]">
            <ShownText text={name} />
          </code>
          ?
        </h3>
        <span className="ms-auto text-xs text-muted-foreground">
          <Countdown until={hold.expiresAt} />
        </span>
      </header>
      <div className="grid grid-cols-1 gap-3 px-4 py-3">
        <p>
          <ShownText text={reason ?? CAUSES[cause]} />
          {reason !== undefined && cause !== 'tool' && !reason.startsWith(CAUSES[cause]) && (
            <span className="text-muted-foreground"> {CAUSES[cause]}</span>
          )}
        </p>
        <WhatRuns hold={hold} folds={folds} editing={mode === 'editing'} />
        {mode === 'editing' && (
          <ApprovalEdit
            input={input}
            resolving={resolving}
            onCancel={() => setMode('deciding')}
            onApprove={(edited) => resolve({ kind: 'approve', ...(edited !== undefined && { input: edited }) })}
          />
        )}
        {mode !== 'editing' && <Rewritten hold={hold} />}
        <ApprovalFacts {...props} />
        {mode === 'rejecting' && (
          <RejectReason
            resolving={resolving}
            onCancel={() => setMode('deciding')}
            onReject={(why) => resolve({ kind: 'reject', ...(why !== '' && { reason: why }) })}
          />
        )}
        {mode === 'deciding' && !over && folds.count > 0 && <Folded folds={folds} />}
        {mode === 'deciding' && !over && (
          <Deciding hold={hold} isFolded={folds.count > 0} resolving={resolving} onMode={setMode} />
        )}
        {problem !== undefined && mode !== 'editing' && (
          <p role="alert" className="text-xs text-destructive">
            <ShownText text={problem} />
          </p>
        )}
        {answer && over && <VerdictNotice {...answer} />}
      </div>
    </section>
  )
}

function Deciding({
  hold: { accepts },
  isFolded,
  resolving,
  onMode,
}: Pick<ApprovalCardProps, 'hold'> & {
  /** Something that would run is not in sight. */
  readonly isFolded: boolean
  readonly resolving: Resolving
  readonly onMode: (mode: Mode) => void
}): ReactNode {
  const { busy, settled, resolve } = resolving
  return (
    <AnswerRow resolving={resolving}>
      {accepts.includes('approve') && (
        <Button
          look="ok"
          data-answer="approve"
          disabled={busy}
          aria-disabled={!settled || isFolded}
          onClick={() => isFolded || resolve({ kind: 'approve' })}
        >
          Approve
        </Button>
      )}
      {accepts.includes('approve') && (
        <Button
          data-answer="edit"
          disabled={busy}
          aria-disabled={isFolded}
          onClick={() => isFolded || onMode('editing')}
        >
          Edit…
        </Button>
      )}
      {accepts.includes('reject') && (
        <Button look="destructive" data-answer="reject" disabled={busy} onClick={() => onMode('rejecting')}>
          Reject…
        </Button>
      )}
    </AnswerRow>
  )
}

/** What a yes is a yes to. Who agreed before counts: the last one to agree makes it run. */
function boundTo({ nth, inputHash, fingerprint, endorsedBy }: ViewHold): string {
  return `${nth} ${inputHash} ${fingerprint} ${endorsedBy.length}`
}

/** Something stood between the model and this card: a schema, a hook, somebody who approved it before. */
function Rewritten({ hold: { proposed, input } }: Pick<ApprovalCardProps, 'hold'>): ReactNode {
  const changes = changesBetween(proposed, input)
  if (changes.length === 0) return null
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-muted-foreground">
        The model asked for something else: {changes.length} {changes.length === 1 ? 'place' : 'places'} changed since
      </summary>
      <div className="mt-2">
        <JsonChanges changes={changes} />
      </div>
    </details>
  )
}
