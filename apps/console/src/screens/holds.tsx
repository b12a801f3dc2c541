/**
 * All waiting calls as an inbox: the oldest first, one of them open. Keys work while the list or the open hold has the
 * focus: j and k move through the list. x selects a hold, to approve several
 * at once. a only moves the focus to Approve, so that one wrong key approves nothing.
 */
import { useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'wouter'
import type { PendingHold, Resolution, ResolveAnswer } from '@holdpoint/client'
import { Button } from '@holdpoint/ui'
import { HoldsFilter, type Wanted } from '../holds-filter.tsx'
import type { At } from '../holds/hold-key.ts'
import { inboxKeys } from '../holds/inbox-keys.ts'
import { HoldList } from '../holds/hold-list.tsx'
import { HoldViews, NothingOpen, LastAnswerNotice, type LastAnswer, type View } from '../holds/notices.tsx'
import { OpenHold } from '../holds/open-hold.tsx'
import { SelectedHolds } from '../holds/selected-holds.tsx'
import { useSelection } from '../holds/selection.ts'
import { useHoldActions } from '../holds/use-hold-actions.ts'
import { useInbox } from '../holds/use-inbox.ts'
import { addressOf, Trouble, useTitle } from '../parts.tsx'

export function HoldsScreen({ at }: { readonly at?: At }): ReactNode {
  const { state, answer: give, answerMany, talkAbout } = useHoldActions()
  const { holds, loading, error, refresh } = state
  const [view, setView] = useState<View>('mine')
  const [wanted, setWanted] = useState<Wanted>({ kind: 'people', agent: '', text: '' })
  const [lastAnswer, setLastAnswer] = useState<LastAnswer>()
  const { waiting, shown, rows, opened, counts, leaveOut } = useInbox(holds, { at, view, wanted })
  const selection = useSelection(waiting)
  const [isSelecting, setSelecting] = useState(false)
  const [, go] = useLocation()
  const panel = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  useTitle('Holds')

  const show = (hold: PendingHold | undefined): void => {
    go(hold ? addressOf.hold(hold.conversationId, hold.callId) : '/holds', { replace: true })
  }
  const answer = async (hold: PendingHold, resolution: Resolution): Promise<ResolveAnswer> => {
    const next = shown[shown.indexOf(hold) + 1] ?? shown[shown.indexOf(hold) - 1]
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
    <div
      className="grid h-full min-h-0 grid-rows-[auto_auto_1fr] lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]"
      onKeyDown={press}
    >
      <header className="grid gap-3 border-b border-border px-4 py-3 lg:col-span-2 lg:flex lg:items-center lg:px-6">
        <h1 className="text-xl font-semibold tracking-tight">Holds</h1>
        <HoldViews view={view} counts={counts} onChange={look} />
        <HoldsFilter wanted={wanted} holds={waiting} onChange={setWanted} />
      </header>
      <HoldList list={list} rows={rows} open={opened?.key} onOpen={open} selection={selection} onSelect={select} />
      <div ref={panel} className="min-h-0 overflow-y-auto px-4 py-5 lg:border-s lg:border-border lg:px-8">
        <div className="mx-auto grid max-w-2xl gap-4">
          {error && <Trouble error={error} />}
          {isSelecting && selection.items.length > 0 ? (
            <SelectedHolds selection={selection} onApprove={answerMany} onSent={refresh} />
          ) : (
            <>
              {lastAnswer && <LastAnswerNotice last={lastAnswer} />}
              <NotShown count={selection.items.length} onShow={() => setSelecting(true)} />
              {opened && <OpenHold key={opened.key} kept={opened} talk={talkAbout(opened.item)} onAnswer={answer} />}
              {!opened && !loading && (
                <NothingOpen at={at} any={waiting.length > 0} answered={lastAnswer !== undefined} view={view} />
              )}
            </>
          )}
        </div>
      </div>
    </div>
  )
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
