/**
 * All waiting calls as an inbox: the oldest first, one of them open. Keys work while the list or the open hold has the
 * focus: j and k move through the list. x selects a hold, to approve several at once. a only moves the focus to Approve, so
 * that one wrong key approves nothing.
 */
import { useRef, useState, type ReactNode, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'wouter'
import type { PendingHold, Resolution, ResolveResult } from '@holdpoint/client'
import { Button, PeopleNamesContext } from '@holdpoint/ui'
import { HoldsFilter, isNarrow, useAgentsOf, type Wanted } from '../holds-filter.tsx'
import type { At } from '../holds/hold-key.ts'
import { inboxKeys } from '../holds/inbox-keys.ts'
import { HoldList } from '../holds/hold-list.tsx'
import {
  HoldViews,
  NothingOpen,
  LastAnswerNotice,
  type LastAnswer,
  type NothingOpenProps,
  type View,
} from '../holds/notices.tsx'
import { OpenHold, type OpenHoldProps } from '../holds/open-hold.tsx'
import { SelectedHolds } from '../holds/selected-holds.tsx'
import { useSelection } from '../holds/selection.ts'
import { useHoldActions, type HoldActions } from '../holds/use-hold-actions.ts'
import { useInbox, type Inbox } from '../holds/use-inbox.ts'
import { useHoldNames } from '../names.ts'
import { addressOf, ErrorNotice, useTitle } from '../parts.tsx'

export function HoldsScreen({ at }: { readonly at?: At }): ReactNode {
  const [view, setView] = useState<View>('mine')
  const [wanted, setWanted] = useState<Wanted>({ kind: 'people', agent: '', text: '' })
  const inbox = useInbox({ at, view, wanted })
  const { waiting, shown, rows, opened, counts, refresh } = inbox
  const { answer: give, answerMany, discussionOf } = useHoldActions(refresh)
  const agents = useAgentsOf(waiting)
  const names = useHoldNames(waiting)
  const selection = useSelection(waiting)
  const [isSelecting, setSelecting] = useState(false)
  const [, go] = useLocation()
  const panel = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  useTitle('Holds')

  const show = (hold: PendingHold | undefined): void => {
    go(hold ? addressOf.hold(hold.conversationId, hold.callId) : '/holds', { replace: true })
  }
  const { lastAnswer, answer } = useAnswer({ inbox, list, give, show })
  const select = (hold: PendingHold): void => {
    selection.toggle(hold)
    setSelecting(true)
  }
  const open = (hold: PendingHold): void => {
    setSelecting(false)
    show(hold)
  }
  const look = (next: View): void => {
    setView(next)
    if (at) show(undefined)
  }
  const press = inboxKeys({ shown, opened, panel, show, select })
  return (
    // Each key has a button or a link that does the same.
    <PeopleNamesContext value={names}>
      <div
        className="grid h-full min-h-0 grid-rows-[auto_auto_1fr] lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]"
        onKeyDown={press}
      >
        <header className="grid gap-3 border-b border-border px-4 py-3 lg:col-span-2 lg:flex lg:items-center lg:px-6">
          <h1 className="text-xl font-semibold tracking-tight">Holds</h1>
          <HoldViews view={view} counts={counts} onChange={look} />
          <HoldsFilter wanted={wanted} agents={agents} onChange={setWanted} />
        </header>
        <HoldList
          list={list}
          rows={rows}
          more={inbox.more}
          open={opened?.key}
          onOpen={open}
          onMore={inbox.showMore}
          selection={selection}
          onSelect={select}
        />
        <div ref={panel} className="min-h-0 overflow-y-auto px-4 py-5 lg:border-s lg:border-border lg:px-8">
          <div className="mx-auto grid max-w-2xl gap-4">
            {inbox.error && <ErrorNotice error={inbox.error} />}
            {isSelecting && selection.items.length > 0 ? (
              <SelectedHolds selection={selection} onApprove={answerMany} onSent={refresh} />
            ) : (
              <>
                {lastAnswer && <LastAnswerNotice last={lastAnswer} />}
                <NotShown count={selection.items.length} onShow={() => setSelecting(true)} />
                <Open
                  inbox={inbox}
                  discussionOf={discussionOf}
                  onAnswer={answer}
                  nothing={{ at, view, answered: lastAnswer !== undefined, isFiltered: isNarrow(wanted) }}
                />
              </>
            )}
          </div>
        </div>
      </div>
    </PeopleNamesContext>
  )
}

interface Answering {
  readonly inbox: Inbox
  readonly list: RefObject<HTMLElement | null>
  readonly give: HoldActions['answer']
  readonly show: (hold: PendingHold | undefined) => void
}

/** Sends an answer, and opens the next hold. */
function useAnswer({ inbox: { shown, leaveOut }, list, give, show }: Answering): {
  readonly lastAnswer: LastAnswer | undefined
  readonly answer: HoldActions['answer']
} {
  const [lastAnswer, setLastAnswer] = useState<LastAnswer>()
  const answer = async (hold: PendingHold, resolution: Resolution): Promise<ResolveResult> => {
    const at = shown.findIndex((each) => each === hold)
    const next = shown[at + 1] ?? shown[at - 1]
    const given = await give(hold, resolution)
    if (given.verdict === 'invalid' || given.verdict === 'wrong-kind' || given.verdict === 'not-allowed') return given
    // Drawn at once, because the element with the focus is removed and the next one gets the focus.
    flushSync(() => {
      setLastAnswer({ hold, answer: given, at: Date.now() })
      leaveOut([hold])
      show(next)
    })
    list.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()
    return given
  }
  return { lastAnswer, answer }
}

/** The open hold, or why none is open. */
function Open({
  inbox: { opened, loading, counts },
  discussionOf,
  onAnswer,
  nothing,
}: {
  readonly inbox: Inbox
  readonly discussionOf: HoldActions['discussionOf']
  readonly onAnswer: OpenHoldProps['onAnswer']
  readonly nothing: Omit<NothingOpenProps, 'any'>
}): ReactNode {
  if (opened)
    return <OpenHold key={opened.key} kept={opened} discussion={discussionOf(opened.item)} onAnswer={onAnswer} />
  return !loading && <NothingOpen {...nothing} any={counts.all.count > 0 || counts.all.more} />
}

/** While one hold is open, the selection stays as it is. */
function NotShown({ count, onShow }: { readonly count: number; readonly onShow: () => void }): ReactNode {
  return (
    count > 0 && (
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
        {count} selected
        <Button small onClick={onShow}>
          Show the selection
        </Button>
      </p>
    )
  )
}
