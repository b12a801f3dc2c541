/** Who must answer a hold, who approved exactly this input, who is missing, and when more people are asked. */
import type { ReactNode } from 'react'
import { approverName, approverWords, endorsementWords } from './approver-words.ts'
import type { CardHold } from './card-hold.ts'
import { ShownText } from './shown-text.tsx'
import { Until } from './time.tsx'
import { whoWords } from './who-words.ts'

export function HoldPeople({ hold }: { readonly hold: CardHold }): ReactNode {
  const { approvers, endorsed, endorsedBy, remindAt, escalation } = hold
  const rule = approverWords(hold)
  const agreed = endorsed ? endorsed.map(endorsementWords) : endorsedBy.map(whoWords)
  const missing = hold.missing ?? Math.max(0, approvers - agreed.length)
  if (rule === undefined && approvers <= 1 && remindAt === undefined && !escalation) return null
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted-foreground">
      {rule !== undefined && (
        <span dir="auto" className="text-foreground">
          <ShownText text={rule} />
        </span>
      )}
      {approvers > 1 && (
        <span dir="auto">
          {agreed.length} of {approvers} approved{agreed.length > 0 && ': '}
          {agreed.map((who, index) => (
            <span key={who}>
              {index > 0 && ', '}
              <b className="font-medium text-foreground">
                <ShownText text={who} />
              </b>
            </span>
          ))}
        </span>
      )}
      {approvers > 1 && agreed.length > 0 && missing > 0 && <span dir="auto">{missing} more needed</span>}
      {remindAt !== undefined && (
        <span dir="auto">
          reminder <Until at={remindAt} />
        </span>
      )}
      {escalation && (
        <span dir="auto">
          also asks <ShownText text={escalation.to.map(approverName).join(', ')} /> <Until at={escalation.at} />
        </span>
      )}
    </p>
  )
}

/** Why there is no button, in place of one that would be refused. */
export function WhyNot({ hold: { may } }: { readonly hold: CardHold }): ReactNode {
  return (
    may?.why !== undefined && (
      <p data-may="no" className="rounded-md bg-muted px-3 py-2 text-sm">
        <ShownText text={may.why} />
      </p>
    )
  )
}
