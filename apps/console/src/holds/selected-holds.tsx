/** The selected holds, each with its whole input, and one button that approves them. Each card shows its own verdict. */
import { useState, type ReactNode } from 'react'
import type { ResolvedOne, ResolveOne } from '@holdpoint/client'
import { AnswerRow, boundTo, Button, failureWords, HoldCard, useSettled, VerdictNotice, WhyNot } from '@holdpoint/ui'
import { Origin } from './origin.tsx'
import type { Selected, Selection } from './selection.ts'

/** What the gateway said about the holds that were sent, and when. */
interface Sent {
  readonly at: number
  readonly results: ReadonlyMap<string, ResolvedOne>
}

export interface SelectedHoldsProps {
  readonly selection: Selection
  readonly onApprove: (holds: readonly ResolveOne[]) => Promise<readonly ResolvedOne[]>
  readonly onSent: () => void
}

export function SelectedHolds({ selection, onApprove, onSent }: SelectedHoldsProps): ReactNode {
  const [sent, setSent] = useState<Sent>()
  // The cards as they were when they were sent: what was shown is what was approved.
  const [frozen, setFrozen] = useState<readonly Selected[]>()
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const items = frozen ?? selection.items
  const content = items.map(({ key, hold, state }) => `${key} ${boundTo(hold)} ${state}`).join('\n')
  const { settled, place, isSettled } = useSettled(content)
  const [refused, setRefused] = useState<string>()
  const ready = items.filter(({ state }) => state === 'ready')
  const isFolded = ready.some(({ key }) => folded.has(key))

  const approve = async (): Promise<void> => {
    if (ready.length === 0 || isFolded || frozen) return
    if (!isSettled()) return setRefused(content)
    setRefused(undefined)
    setFrozen(items)
    const answers = await onApprove(
      ready.map(({ hold: { conversationId, callId, nth } }) => ({
        conversationId,
        callId,
        nth,
        resolution: { kind: 'approve' },
      })),
    )
    setSent({ at: Date.now(), results: new Map(ready.map(({ key }, nth) => [key, answers[nth] as ResolvedOne])) })
    onSent()
  }
  const finish = (): void => {
    selection.drop(items)
    setFrozen(undefined)
    setSent(undefined)
  }
  return (
    <section aria-label="Selected holds" className="grid gap-4">
      <header className="flex flex-wrap items-center gap-3">
        <h2 className="text-base font-semibold">{items.length} selected</h2>
        {!frozen && (
          <Button small look="quiet" onClick={() => selection.drop(items)}>
            Clear the selection
          </Button>
        )}
      </header>
      {items.map((item) => {
        const { key, hold } = item
        return (
          <HoldCard
            key={key}
            hold={hold}
            agent={hold.agent}
            origin={<Origin hold={hold} />}
            onResolve={neverResolves}
            instead={<Instead item={item} sent={sent} selection={selection} isSending={frozen !== undefined} />}
            onFolded={(is) => setFolded((before) => withKey(before, key, is))}
          />
        )
      })}
      {sent ? (
        <Button className="justify-self-start" onClick={finish}>
          Done
        </Button>
      ) : (
        <div className="grid gap-2">
          {isFolded && <p className="text-xs text-held">Some input is folded. Show all of it to approve.</p>}
          <AnswerRow resolving={{ place, tooSoon: refused === content }}>
            <Button
              look="ok"
              data-answer="approve"
              disabled={frozen !== undefined || ready.length === 0}
              aria-disabled={!settled || isFolded}
              onClick={() => void approve()}
            >
              Approve selected ({ready.length})
            </Button>
          </AnswerRow>
        </div>
      )}
    </section>
  )
}

/** The cards have no buttons of their own. */
const neverResolves = async (): Promise<never> => {
  throw new Error('This hold is approved with the others.')
}

/** In place of the buttons of a card: its verdict, or whether it will be approved with the others. */
function Instead({
  item: { key, hold, state },
  sent,
  selection,
  isSending,
}: {
  readonly item: Selected
  readonly sent: Sent | undefined
  readonly selection: Selection
  readonly isSending: boolean
}): ReactNode {
  const result = sent?.results.get(key)
  if (sent && result?.answer) return <VerdictNotice answer={result.answer} at={sent.at} />
  if (result?.error)
    return (
      <p role="alert" className="text-xs text-destructive">
        {failureWords(result.error)}
      </p>
    )
  switch (state) {
    case 'ready':
      return (
        <p className="flex flex-wrap items-center gap-2 text-xs text-muted-foreground">
          {isSending ? 'Sending…' : 'Will be approved with the others.'}
          {!isSending && (
            <Button small look="quiet" onClick={() => selection.toggle(hold)}>
              Leave it out
            </Button>
          )}
        </p>
      )
    case 'changed':
      return (
        <div role="status" className="flex flex-wrap items-center gap-2 text-sm text-held">
          It changed after you selected it, so it is left out.
          {!isSending && (
            <Button small onClick={() => selection.add(hold)}>
              Select it as it is now
            </Button>
          )}
        </div>
      )
    case 'refused':
      return <WhyNot hold={hold} />
    case 'gone':
      return (
        <p role="status" className="text-sm text-muted-foreground">
          It is no longer waiting: it was answered elsewhere, or it expired.
        </p>
      )
  }
}

function withKey(keys: ReadonlySet<string>, key: string, is: boolean): ReadonlySet<string> {
  if (keys.has(key) === is) return keys
  return new Set(is ? [...keys, key] : [...keys].filter((each) => each !== key))
}
