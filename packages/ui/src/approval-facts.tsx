/** Where a call that waits comes from, and what was said to it. */
import type { ReactNode } from 'react'
import type { ApprovalCardProps } from './approval-card.tsx'
import { askedByWords } from './asked-by-words.ts'
import { ordinal } from './ordinal.ts'
import { resolvedWords } from './resolved-words.ts'
import { ShownText } from './shown-text.tsx'
import { Ago } from './time.tsx'

export function ApprovalFacts({ hold, agent, resolved = [], origin }: ApprovalCardProps): ReactNode {
  const { endorsedBy, approvers, heldAt, nth } = hold
  const askedBy = askedByWords(hold)
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
            asked by <Name text={askedBy} />
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
            . Names are not identities: check who is behind them.
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
