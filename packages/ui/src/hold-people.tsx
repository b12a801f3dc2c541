/** Who must answer a hold, who approved exactly this input, who is missing, and when more people are asked. */
import type { ReactNode } from 'react'
import { approverName, approverWords, endorsementWords, missingWords } from './approver-words.ts'
import type { CardHold } from './card-hold.ts'
import { asPlainText } from './hidden-characters.ts'
import { usePeopleNames } from './people-names.ts'
import { ShownText } from './shown-text.tsx'
import { Until } from './time.tsx'

export function HoldPeople({ hold }: { readonly hold: CardHold }): ReactNode {
  const { approvers, endorsed, endorsedBy, remindAt, escalation } = hold
  const names = usePeopleNames()
  const rule = approverWords(hold, names)
  const agreed = endorsed ?? endorsedBy.map((by) => ({ by }))
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
            <span key={who.by}>
              {index > 0 && ', '}
              <b title={asPlainText(who.by)} className="font-medium text-foreground">
                <ShownText text={endorsementWords(who, names)} />
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
          also asks <ShownText text={escalation.to.map((name) => approverName(name, names)).join(', ')} />{' '}
          <Until at={escalation.at} />
        </span>
      )}
    </p>
  )
}

/** Says why the person cannot answer, in place of a button that the gateway would refuse. */
export function WhyNot({ hold }: { readonly hold: CardHold }): ReactNode {
  const { may } = hold
  const missing = missingWords(hold, usePeopleNames())
  return (
    may?.why !== undefined && (
      <div data-may="no" className="grid gap-0.5 rounded-md bg-muted px-3 py-2 text-sm">
        <p>
          <ShownText text={may.why} />
        </p>
        {missing !== undefined && (
          <p className="text-muted-foreground">
            Missing: <ShownText text={missing} />
          </p>
        )}
      </div>
    )
  )
}
