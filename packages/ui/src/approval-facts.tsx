/** The agent, author and approvers of a waiting call, and the answers to its earlier holds. */
import type { ReactNode } from 'react'
import type { ApprovalCardProps } from './approval-card.tsx'
import { askedByWords, requesterIds } from './asked-by-words.ts'
import { HoldPeople } from './hold-people.tsx'
import { ordinal } from './ordinal.ts'
import { usePeopleNames } from './people-names.ts'
import { resolvedWords } from './resolved-words.ts'
import { ShownText } from './shown-text.tsx'
import { Ago } from './time.tsx'

export function ApprovalFacts({ hold, agent, resolved = [], origin }: ApprovalCardProps): ReactNode {
  const { heldAt, nth } = hold
  const names = usePeopleNames()
  const askedBy = askedByWords(hold, names)
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
            asked by <Name text={askedBy} title={requesterIds(hold)} />
          </span>
        )}
        <span dir="auto">
          held <Ago at={heldAt} />
          {nth > 1 && `, for the ${ordinal(nth)} time`}
        </span>
        {origin}
      </p>
      <HoldPeople hold={hold} />
      {resolved.length > 0 && (
        <ul aria-label="Earlier answers" className="grid gap-0.5">
          {resolved.map((resolution) => (
            <li key={`${resolution.nth} ${resolution.at}`} dir="auto">
              <ShownText text={resolvedWords(resolution, names)} />, <Ago at={resolution.at} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Name({ text, title }: { readonly text: string; readonly title?: string | undefined }): ReactNode {
  return (
    <b title={title} className="font-medium text-foreground">
      <ShownText text={text} />
    </b>
  )
}
