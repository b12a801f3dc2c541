/**
 * Asks somebody whether a call may run, and tells them the truth about it: what is shown is what will run, from the log,
 * and never what the model says about it. What would run is bound to the answer: the gateway refuses a yes to anything else.
 */
import { useId, useState, type ReactNode } from 'react'
import type { Json, Resolution, ResolveAnswer, ViewCall, ViewHold } from '@holdpoint/client'
import { ApprovalEdit } from './approval-edit.tsx'
import { Button } from './button.tsx'
import { JsonChanges } from './json-changes-list.tsx'
import { changesBetween } from './json-changes.ts'
import { JsonValue } from './json-value.tsx'
import { ordinal } from './ordinal.ts'
import { RejectReason } from './reject-reason.tsx'
import { resolvedWords } from './resolved-words.ts'
import { ShownText } from './shown-text.tsx'
import { Ago, Countdown } from './time.tsx'
import { useResolve } from './use-resolve.ts'
import { VerdictNotice } from './verdict-notice.tsx'
import { whoWords } from './who-words.ts'

export interface ApprovalCardProps {
  readonly hold: ViewHold
  readonly agent?: string | undefined
  /** Whose words made the agent ask. */
  readonly askedBy?: string | undefined
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
  const { answer, problem, over, busy, resolve } = useResolve(onResolve)
  const mode = over ? 'deciding' : chosen
  const title = useId()
  const { name, reason, cause, accepts, input } = hold
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
          {reason !== undefined && cause !== 'tool' && <span className="text-muted-foreground"> {CAUSES[cause]}</span>}
        </p>
        {mode === 'editing' ? (
          <ApprovalEdit
            input={input}
            busy={busy}
            problem={problem}
            onCancel={() => setMode('deciding')}
            onApprove={(edited) => resolve({ kind: 'approve', ...(edited !== undefined && { input: edited }) })}
          />
        ) : (
          <WhatRuns input={input} />
        )}
        {mode !== 'editing' && <Rewritten hold={hold} />}
        <Facts {...props} />
        {mode === 'rejecting' && (
          <RejectReason
            busy={busy}
            onCancel={() => setMode('deciding')}
            onReject={(why) => resolve({ kind: 'reject', ...(why !== '' && { reason: why }) })}
          />
        )}
        {mode === 'deciding' && !over && (
          <div className="flex flex-wrap gap-2">
            {accepts.includes('approve') && (
              <Button look="ok" data-answer="approve" disabled={busy} onClick={() => resolve({ kind: 'approve' })}>
                Approve
              </Button>
            )}
            {accepts.includes('approve') && (
              <Button data-answer="edit" disabled={busy} onClick={() => setMode('editing')}>
                Edit…
              </Button>
            )}
            {accepts.includes('reject') && (
              <Button look="destructive" data-answer="reject" disabled={busy} onClick={() => setMode('rejecting')}>
                Reject…
              </Button>
            )}
          </div>
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

function WhatRuns({ input }: { readonly input: Json }): ReactNode {
  return (
    <div className="rounded-md border border-border bg-background px-3 py-2.5">
      <h4 className="mb-2 text-xs text-muted-foreground">Runs with exactly this</h4>
      <JsonValue value={input} />
    </div>
  )
}

function Facts({ hold, agent, askedBy, resolved = [], origin }: ApprovalCardProps): ReactNode {
  const { endorsedBy, approvers, heldAt, nth } = hold
  return (
    <div className="grid gap-1 text-xs text-muted-foreground">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5">
        {agent !== undefined && (
          <span dir="auto">
            agent <Name text={agent} />
          </span>
        )}
        {askedBy !== undefined && (
          <span dir="auto">
            asked by <Name text={whoWords(askedBy)} />
          </span>
        )}
        <span dir="auto">
          held <Ago at={heldAt} />
          {nth > 1 && `, for the ${ordinal(nth)} time`}
        </span>
        {approvers > 1 && (
          <span dir="auto">
            {endorsedBy.length} of {approvers} agreed{endorsedBy.length > 0 && ': '}
            {endorsedBy.map((who, index) => (
              <span key={who}>
                {index > 0 && ', '}
                <Name text={who} />
              </span>
            ))}
          </span>
        )}
        {origin}
      </p>
      {resolved.length > 0 && (
        <ul aria-label="Said before" className="grid gap-0.5">
          {resolved.map((each) => (
            <li key={`${each.nth} ${each.at}`} dir="auto">
              <ShownText text={resolvedWords(each)} />, <Ago at={each.at} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Name({ text }: { readonly text: string }): ReactNode {
  return (
    <b className="font-medium text-foreground">
      <ShownText text={text} />
    </b>
  )
}
