/**
 * Everything that waits, as an inbox: the oldest first, one of them open. Keys work while the list or the open hold has
 * the focus: j and k go through it, a, e and r go to the buttons, so that nothing is approved by one slip.
 */
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'wouter'
import type { PendingHold, Resolution, ResolveAnswer } from '@holdpoint/client'
import { useHolds } from '@holdpoint/react'
import { Ago, askedByWords, Countdown, HoldCard, ShownText, useKept, VerdictNotice, type Kept } from '@holdpoint/ui'
import { HoldsFilter, matches, type Wanted } from '../holds-filter.tsx'
import { addressOf, Empty, TextLink, Trouble, useTitle } from '../parts.tsx'
import { useBy } from '../preferences.ts'
import { hasTour } from '../has-tour.ts'

interface At {
  readonly conversationId: string
  readonly callId: string
}

interface Told {
  readonly hold: PendingHold
  readonly answer: ResolveAnswer
  readonly at: number
}

export function HoldsScreen({ at }: { readonly at?: At }): ReactNode {
  const { holds, loading, error, resolve } = useHolds()
  const [wanted, setWanted] = useState<Wanted>({ kind: 'people', agent: '', text: '' })
  const [told, setTold] = useState<Told>()
  // The list hears of an answer a moment after whoever gave it: what is answered is not shown, or gone on to, again.
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set())
  const [, go] = useLocation()
  const by = useBy()
  useTitle('Holds')
  const waiting = holds.filter((hold) => !answered.has(keyOf(hold)))
  const shown = waiting.filter((hold) => matches(hold, wanted))
  const kept = useKept(waiting, keyOf)
  const rows = kept.filter(({ item }) => matches(item, wanted))
  // One that is gone keeps its place here too, except one that was answered here: the notice is about that one.
  const others = (at ? kept.filter(({ item }) => isAt(item, at)).reverse() : rows).filter(
    ({ key }) => !answered.has(key),
  )
  const [opened] = others
  const panel = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)

  const show = (hold: PendingHold | undefined): void => {
    go(hold ? addressOf.hold(hold.conversationId, hold.callId) : '/holds', { replace: true })
  }
  const answer = async (hold: PendingHold, resolution: Resolution): Promise<ResolveAnswer> => {
    const next = shown[shown.indexOf(hold) + 1] ?? shown[shown.indexOf(hold) - 1]
    const given = await resolve(hold, resolution, by === undefined ? {} : { by })
    if (given.verdict === 'invalid' || given.verdict === 'wrong-kind') return given
    // Drawn at once: what had the focus goes, and what comes next gets it.
    flushSync(() => {
      setTold({ hold, answer: given, at: Date.now() })
      setAnswered((before) => new Set(before).add(keyOf(hold)))
      show(next)
    })
    list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    return given
  }
  const press = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
    const index = opened ? shown.indexOf(opened.item) : -1
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      show(shown[Math.max(0, Math.min(shown.length - 1, index + step))])
    }
    const button = { a: 'approve', e: 'edit', r: 'reject' }[event.key]
    if (button === undefined) return
    const found = panel.current?.querySelector<HTMLElement>(`[data-answer="${button}"]`)
    event.preventDefault()
    if (button === 'approve') found?.focus()
    else found?.click()
  }
  return (
    // The keys are an extra way to what is all there as buttons and links.
    <div
      className="grid h-full min-h-0 grid-rows-[auto_auto_1fr] lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]"
      onKeyDown={press}
    >
      <header className="grid gap-3 border-b border-border px-4 py-3 lg:col-span-2 lg:flex lg:items-center lg:px-6">
        <h1 className="text-xl font-semibold tracking-tight">Holds</h1>
        <HoldsFilter wanted={wanted} holds={waiting} onChange={setWanted} />
      </header>
      <HoldList list={list} rows={rows} open={opened?.key} onOpen={show} />
      <div ref={panel} className="min-h-0 overflow-y-auto px-4 py-5 lg:border-s lg:border-border lg:px-8">
        <div className="mx-auto grid max-w-2xl gap-4">
          {error && <Trouble error={error} />}
          {told && <ToldNotice told={told} />}
          {opened ? (
            <OpenHold key={opened.key} kept={opened} onAnswer={(resolution) => answer(opened.item, resolution)} />
          ) : (
            !loading && <NothingOpen at={at} any={waiting.length > 0} told={told !== undefined} />
          )}
        </div>
      </div>
    </div>
  )
}

/** With which hold of the call it is: one held anew waits again. */
function keyOf({ conversationId, callId, nth }: PendingHold): string {
  return `${conversationId} ${callId} ${nth}`
}

function isAt({ conversationId, callId }: PendingHold, at: At): boolean {
  return conversationId === at.conversationId && callId === at.callId
}

function OpenHold({
  kept: { item: hold, gone },
  onAnswer,
}: {
  readonly kept: Kept<PendingHold>
  readonly onAnswer: (resolution: Resolution) => Promise<ResolveAnswer>
}): ReactNode {
  return (
    <>
      <HoldCard
        hold={hold}
        gone={gone}
        agent={hold.agent}
        origin={
          <span>
            in <TextLink to={addressOf.conversation(hold.conversationId)}>{hold.conversationId}</TextLink>
          </span>
        }
        onResolve={onAnswer}
      />
      <p className="text-xs text-muted-foreground max-lg:hidden">
        <Key>j</Key> <Key>k</Key> next and previous · <Key>a</Key> to approve, then <Key>Enter</Key> · <Key>e</Key> edit
        · <Key>r</Key> reject
      </p>
    </>
  )
}

function HoldList({
  list,
  rows,
  open,
  onOpen,
}: {
  readonly list: React.RefObject<HTMLUListElement | null>
  readonly rows: readonly Kept<PendingHold>[]
  /** The key of the row that is open. */
  readonly open: string | undefined
  readonly onOpen: (hold: PendingHold) => void
}): ReactNode {
  useEffect(() => {
    // Whoever goes through the list by keys takes the focus along.
    const current = list.current?.querySelector<HTMLElement>('[aria-current="true"]')
    if (list.current?.contains(document.activeElement)) current?.focus()
    current?.scrollIntoView({ block: 'nearest' })
  }, [open, list])
  return (
    <ul
      ref={list}
      aria-label="What waits"
      className="min-h-0 divide-y divide-border overflow-y-auto max-lg:max-h-64 max-lg:border-b max-lg:border-border"
    >
      {rows.map(({ key, item: hold, gone }, nth) => {
        const here = key === open
        return (
          <li key={key}>
            <button
              type="button"
              tabIndex={here || (open === undefined && nth === 0) ? 0 : -1}
              aria-current={here ? 'true' : undefined}
              disabled={gone}
              onClick={() => onOpen(hold)}
              className="grid w-full gap-0.5 px-4 py-2.5 text-start outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset aria-[current=true]:bg-held-muted disabled:opacity-50 lg:px-6"
            >
              <span className="flex items-baseline gap-2">
                <code className="min-w-0 truncate font-mono text-sm">{hold.name}</code>
                <span className="ms-auto shrink-0 text-xs text-muted-foreground">
                  <Ago at={hold.heldAt} />
                </span>
              </span>
              <span className="truncate text-xs text-muted-foreground">
                {gone ? (
                  'no longer waits'
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
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function AskedBy({ hold }: { readonly hold: PendingHold }): ReactNode {
  const words = askedByWords(hold)
  return (
    words !== undefined && (
      <span className="truncate">
        for <ShownText text={words} />
      </span>
    )
  )
}

const KINDS: Readonly<Record<PendingHold['kind'], string>> = {
  approval: 'asks for approval',
  elicitation: 'asks a question',
  client: 'waits for a page',
  external: 'waits for a worker',
}

function ToldNotice({ told: { hold, answer, at } }: { readonly told: Told }): ReactNode {
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

function NothingOpen({
  at,
  any,
  told,
}: {
  readonly at: At | undefined
  readonly any: boolean
  readonly told: boolean
}): ReactNode {
  if (at && !told)
    return (
      <Empty title="This no longer waits">
        It was answered, or its time was over. What came of it is in{' '}
        <TextLink to={addressOf.conversation(at.conversationId)}>the conversation</TextLink>.
      </Empty>
    )
  if (any) return <Empty title="Nothing here with these filters" />
  return (
    <Empty title="Nothing waits for you">
      When an agent needs a yes or an answer, it appears here by itself.
      {hasTour && (
        <>
          {' '}
          <TextLink to="/">The tour</TextLink> makes one wait.
        </>
      )}
    </Empty>
  )
}

function Key({ children }: { readonly children: ReactNode }): ReactNode {
  return <kbd className="rounded-sm border border-border bg-card px-1 font-mono text-[0.9em]">{children}</kbd>
}

function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null
}
