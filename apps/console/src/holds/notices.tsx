import type { ReactNode } from 'react'
import type { PendingHold, ResolveResult } from '@holdpoint/client'
import { VerdictNotice } from '@holdpoint/ui'
import { hasTour } from '../has-tour.ts'
import { addressOf, Empty, TextLink } from '../parts.tsx'
import type { At } from './hold-key.ts'
import { countWords, type Count } from './count.ts'

/** The answer to a hold that is no longer open on this screen. */
export interface LastAnswer {
  readonly hold: PendingHold
  readonly answer: ResolveResult
  readonly at: number
}

export function LastAnswerNotice({ last: { hold, answer, at } }: { readonly last: LastAnswer }): ReactNode {
  return (
    <div className="grid gap-1">
      <VerdictNotice answer={answer} at={at} />
      <p className="text-xs text-muted-foreground">
        <code className="font-mono">{hold.name}</code> in{' '}
        <TextLink to={addressOf.conversation(hold.conversationId)}>{hold.conversationId}</TextLink>
      </p>
    </div>
  )
}

export type View = 'mine' | 'asked' | 'all'

export interface NothingOpenProps {
  readonly at: At | undefined
  /** Some calls are waiting, but not in this view. */
  readonly any: boolean
  readonly answered: boolean
  readonly view: View
  /** Calls that the filters leave out may be waiting. */
  readonly isFiltered: boolean
}

export function NothingOpen({ at, any, answered, view, isFiltered }: NothingOpenProps): ReactNode {
  if (at && !answered)
    return (
      <Empty title="This call is no longer waiting">
        It was answered, or it expired. Its result is in{' '}
        <TextLink to={addressOf.conversation(at.conversationId)}>the conversation</TextLink>.
      </Empty>
    )
  const others = any && view !== 'all' && 'Other calls are waiting: see All.'
  if (isFiltered) return <Empty title="No waiting call matches these filters">{others}</Empty>
  if (any) return <Empty title={NONE[view]}>{others}</Empty>
  return (
    <Empty title="Nothing is waiting for you">
      When an agent needs an approval or an answer, it appears here.
      {hasTour && (
        <>
          {' '}
          <TextLink to="/">The tour</TextLink> shows how.
        </>
      )}
    </Empty>
  )
}

const NONE: Readonly<Record<View, string>> = {
  mine: 'Nothing that you may decide',
  asked: 'Nothing that you asked for',
  all: 'Nothing is waiting',
}

const VIEWS: readonly (readonly [View, string])[] = [
  ['mine', 'Mine'],
  ['asked', 'Asked by me'],
  ['all', 'All'],
]

/** `mine`: what I may decide. `asked`: what I asked for. */
export function HoldViews({
  view,
  counts,
  onChange,
}: {
  readonly view: View
  readonly counts: Readonly<Record<View, Count>>
  readonly onChange: (view: View) => void
}): ReactNode {
  return (
    <div role="group" aria-label="Which holds" className="flex w-fit gap-0.5 rounded-md bg-muted p-0.5 text-xs">
      {VIEWS.map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={view === choice}
          onClick={() => onChange(choice)}
          className="rounded-[5px] px-2.5 py-1 whitespace-nowrap text-muted-foreground outline-none hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring aria-pressed:bg-card aria-pressed:font-medium aria-pressed:text-foreground aria-pressed:shadow-xs"
        >
          {name} <span className="tabular-nums">{countWords(counts[choice])}</span>
        </button>
      ))}
    </div>
  )
}
