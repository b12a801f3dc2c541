/**
 * Asks the approver whether a call may run. The card shows the input that will run, from the log, and never the model's
 * description of it. The approval names the hold and the hash of its input, so the gateway refuses it for anything else.
 */
import { useEffect, useId, useState, type ReactNode } from 'react'
import type { Resolution, ResolveResult, ViewCall } from '@holdpoint/client'
import { AnswerRow } from './answer-row.tsx'
import { ApprovalEdit } from './approval-edit.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import { Button } from './button.tsx'
import { boundTo, mayApprove, mayResolve, type CardHold, type HoldDiscussionHandlers } from './card-hold.ts'
import { useFolds } from './folds.ts'
import { WhyNot } from './hold-people.tsx'
import { HoldDiscussion } from './hold-discussion.tsx'
import { JsonChanges } from './json-changes-list.tsx'
import { changesBetween } from './json-changes.ts'
import { RejectReason } from './reject-reason.tsx'
import { RememberRule, useSaveRule } from './remember-rule.tsx'
import { ShownText } from './shown-text.tsx'
import { Countdown } from './time.tsx'
import { useResolve, type Resolving } from './use-resolve.ts'
import { VerdictNotice } from './verdict-notice.tsx'
import { CollapsedNotice, WhatRuns } from './what-runs.tsx'

export interface ApprovalCardProps {
  readonly hold: CardHold
  readonly agent?: string | undefined
  /** The answers to earlier holds of the same call. */
  readonly resolved?: ViewCall['resolved'] | undefined
  /** Where the call comes from, for instance a link to its conversation. */
  readonly origin?: ReactNode
  readonly onResolve: (resolution: Resolution) => Promise<ResolveResult>
  /** Lets the person at the screen assign the hold to themselves and comment on it. */
  readonly discussion?: HoldDiscussionHandlers | undefined
  /** In place of the buttons, for a hold that is answered together with others. */
  readonly instead?: ReactNode
  /** Called with whether a value that would run is collapsed. */
  readonly onFolded?: ((isFolded: boolean) => void) | undefined
}

type Mode = 'deciding' | 'editing' | 'rejecting' | 'remembering'

const CAUSES: Readonly<Record<CardHold['cause'], string>> = {
  tool: 'This tool needs an approval before it runs.',
  asked: 'The tool asks for an approval while it runs.',
  lost: 'The process that ran this call stopped. The call may or may not have taken effect. If you approve, it runs again.',
  changed: 'The tool was changed after it was approved.',
  manual: 'The agent leaves it to a person to run this call.',
}

export function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const { hold, agent, onResolve, discussion, instead, onFolded } = props
  const save = useSaveRule(hold)
  const [chosen, setMode] = useState<Mode>('deciding')
  const resolving = useResolve(onResolve, `${boundTo(hold)} ${chosen}`)
  const { answer, problem, over, resolve } = resolving
  const folds = useFolds()
  const isDecidedHere = instead === undefined && !over
  const mode = isDecidedHere && (chosen === 'rejecting' ? mayResolve(hold) : mayApprove(hold)) ? chosen : 'deciding'
  const isFolded = folds.count > 0
  useEffect(() => onFolded?.(isFolded), [isFolded, onFolded])
  const title = useId()
  const { reason, cause, input } = hold
  return (
    <section aria-labelledby={title} className="overflow-hidden rounded-lg border border-held/40 bg-card text-sm">
      <CardHeader hold={hold} titleId={title} />
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
        {mode === 'remembering' && save && (
          <RememberRule
            hold={hold}
            agent={agent}
            save={save}
            resolving={resolving}
            onCancel={() => setMode('deciding')}
            onApprove={() => resolve({ kind: 'approve' })}
          />
        )}
        {mode === 'deciding' && !over && mayApprove(hold) && isFolded && <CollapsedNotice folds={folds} />}
        {mode === 'deciding' && isDecidedHere && (
          <>
            <WhyNot hold={hold} />
            <Deciding
              hold={hold}
              isFolded={isFolded}
              resolving={resolving}
              onMode={setMode}
              remembers={save !== undefined}
            />
          </>
        )}
        {instead}
        {problem !== undefined && mode !== 'editing' && (
          <p role="alert" className="text-xs text-destructive">
            <ShownText text={problem} />
          </p>
        )}
        {answer && over && <VerdictNotice {...answer} />}
        <HoldDiscussion hold={hold} discussion={discussion} />
      </div>
    </section>
  )
}

function CardHeader({ hold, titleId }: Pick<ApprovalCardProps, 'hold'> & { readonly titleId: string }): ReactNode {
  return (
    <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-held/30 bg-held-muted px-4 py-2.5">
      <h3 id={titleId} dir="auto" className="font-medium">
        {mayApprove(hold) ? 'Approve ' : 'Waiting for approval: '}
        <code className="font-mono text-[0.95em]">
          <ShownText text={hold.name} />
        </code>
        {mayApprove(hold) && '?'}
      </h3>
      <span className="ms-auto text-xs text-muted-foreground">
        <Countdown until={hold.expiresAt} />
      </span>
    </header>
  )
}

function Deciding({
  hold,
  isFolded,
  resolving,
  onMode,
  remembers,
}: Pick<ApprovalCardProps, 'hold'> & {
  /** The approval can be saved as a rule. */
  readonly remembers: boolean
  /** A value that would run is collapsed. */
  readonly isFolded: boolean
  readonly resolving: Resolving
  readonly onMode: (mode: Mode) => void
}): ReactNode {
  const { busy, settled, resolve } = resolving
  const approves = hold.accepts.includes('approve') && mayApprove(hold)
  const rejects = hold.accepts.includes('reject') && mayResolve(hold)
  if (!approves && !rejects) return null
  return (
    <AnswerRow resolving={resolving}>
      {approves && (
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
      {approves && (
        <Button
          data-answer="edit"
          disabled={busy}
          aria-disabled={isFolded}
          onClick={() => isFolded || onMode('editing')}
        >
          Edit…
        </Button>
      )}
      {approves && remembers && (
        <Button
          data-answer="remember"
          disabled={busy}
          aria-disabled={isFolded}
          onClick={() => isFolded || onMode('remembering')}
        >
          Approve and remember…
        </Button>
      )}
      {rejects && (
        <Button look="destructive" data-answer="reject" disabled={busy} onClick={() => onMode('rejecting')}>
          Reject…
        </Button>
      )}
    </AnswerRow>
  )
}

/** The differences from the model's input. A schema, a hook or an earlier approver may have changed it. */
function Rewritten({ hold: { proposed, input } }: Pick<ApprovalCardProps, 'hold'>): ReactNode {
  const changes = changesBetween(proposed, input)
  if (changes.length === 0) return null
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-muted-foreground">
        Not the model’s original input: {changes.length} {changes.length === 1 ? 'difference' : 'differences'}
      </summary>
      <div className="mt-2">
        <JsonChanges changes={changes} />
      </div>
    </details>
  )
}
