import { useEffect, type ReactNode } from 'react'
import type { PendingHold } from '@holdpoint/client'
import { Ago, askedByWords, Button, Countdown, ShownText, usePeopleNames, whoWords, type Kept } from '@holdpoint/ui'
import { isSelectable, type Selection } from './selection.ts'

export interface HoldListProps {
  readonly list: React.RefObject<HTMLUListElement | null>
  readonly rows: readonly Kept<PendingHold>[]
  /** The key of the row that is open. */
  readonly open: string | undefined
  readonly onOpen: (hold: PendingHold) => void
  /** There may be more rows. */
  readonly more: boolean
  readonly onMore: () => void
  readonly selection: Selection
  readonly onSelect: (hold: PendingHold) => void
}

export function HoldList({ list, rows, more, open, onOpen, onMore, selection, onSelect }: HoldListProps): ReactNode {
  useEffect(() => {
    // While the user moves through the list by keys, the focus moves too.
    const current = list.current?.querySelector<HTMLElement>('[aria-current="true"]')
    if (list.current?.contains(document.activeElement)) current?.focus()
    current?.scrollIntoView({ block: 'nearest' })
  }, [open, list])
  return (
    <div className="min-h-0 overflow-y-auto max-lg:max-h-64 max-lg:border-b max-lg:border-border">
      <ul ref={list} aria-label="Waiting calls" className="divide-y divide-border">
        {rows.map(({ key, item: hold, gone }, nth) => {
          const here = key === open
          const tabIndex = here || (open === undefined && nth === 0) ? 0 : -1
          return (
            <li key={key} className="flex has-[[aria-current=true]]:bg-held-muted">
              <span className="flex w-9 shrink-0 items-start justify-end pt-3.5 lg:w-11">
                {isSelectable(hold) && !gone && (
                  <input
                    type="checkbox"
                    tabIndex={tabIndex}
                    aria-label={`Select ${hold.name} in ${hold.conversationId}`}
                    checked={selection.has(hold)}
                    onChange={() => onSelect(hold)}
                    className="size-4 accent-(--ring) outline-none focus-visible:ring-2 focus-visible:ring-ring"
                  />
                )}
              </span>
              <button
                type="button"
                tabIndex={tabIndex}
                aria-current={here ? 'true' : undefined}
                disabled={gone}
                onClick={() => onOpen(hold)}
                className="grid min-w-0 grow gap-0.5 py-2.5 ps-2.5 pe-4 text-start outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset aria-[current=true]:bg-held-muted disabled:opacity-50 lg:pe-6"
              >
                <span className="flex items-baseline gap-2">
                  <code className="min-w-0 truncate font-mono text-sm">{hold.name}</code>
                  <span className="ms-auto shrink-0 text-xs text-muted-foreground">
                    <Ago at={hold.heldAt} />
                  </span>
                </span>
                <span className="truncate text-xs text-muted-foreground">
                  {gone ? (
                    'no longer waiting'
                  ) : hold.reason === undefined ? (
                    KINDS[hold.kind]
                  ) : (
                    <ShownText text={hold.reason} />
                  )}
                </span>
                <span className="flex gap-2 truncate text-xs text-muted-foreground">
                  <span>{hold.agent}</span>
                  <AskedBy hold={hold} />
                  <Countdown until={hold.expiresAt} />
                </span>
                <State hold={hold} />
              </button>
            </li>
          )
        })}
      </ul>
      {more && <More rows={rows.length} onMore={onMore} />}
    </div>
  )
}

function More({ rows, onMore }: { readonly rows: number; readonly onMore: () => void }): ReactNode {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-border px-4 py-3 text-xs text-muted-foreground lg:px-6">
      {rows === 0 ? 'None of the calls that were read.' : `The oldest ${rows} are shown.`}
      <Button small onClick={onMore}>
        {rows === 0 ? 'Read more' : 'Show more'}
      </Button>
    </p>
  )
}

function AskedBy({ hold }: { readonly hold: PendingHold }): ReactNode {
  const words = askedByWords(hold, usePeopleNames())
  return (
    words !== undefined && (
      <span className="truncate">
        for <ShownText text={words} />
      </span>
    )
  )
}

/** How far it is among the people who decide. */
function State({ hold: { approvers, endorsed, assignee, comments = [] } }: { readonly hold: PendingHold }): ReactNode {
  const names = usePeopleNames()
  const words = [
    ...(approvers > 1 ? [`${endorsed.length} of ${approvers} approved`] : []),
    ...(assignee === undefined ? [] : [`assigned to ${whoWords(assignee, names)}`]),
    ...(comments.length === 0 ? [] : [comments.length === 1 ? '1 comment' : `${comments.length} comments`]),
  ]
  return (
    words.length > 0 && (
      <span className="truncate text-xs text-foreground">
        <ShownText text={words.join(' · ')} />
      </span>
    )
  )
}

const KINDS: Readonly<Record<PendingHold['kind'], string>> = {
  approval: 'waiting for approval',
  elicitation: 'waiting for an answer',
  client: 'waiting for the user’s browser',
  external: 'waiting for a worker',
}
