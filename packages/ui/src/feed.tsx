/**
 * A list of messages of any length. It draws the visible messages and those that must keep their state. It stays at the
 * bottom while text arrives, unless the reader scrolled up. Then it stays where it is and shows a button to the end.
 */
import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { useStickyList } from './sticky-list.ts'

export interface FeedProps {
  readonly label: string
  readonly count: number
  readonly keyOf: (index: number) => string
  /** Indices that are drawn even when not visible: they may have a half-filled form. */
  readonly kept: readonly number[]
  /** An agent is writing. */
  readonly busy: boolean
  /** Loads older messages. Undefined if all are loaded. */
  readonly onEarlier: (() => Promise<unknown>) | undefined
  /** Shown while there are no messages. */
  readonly empty?: ReactNode
  readonly children: (index: number) => ReactNode
}

const GAP = 20

export function Feed({ label, count, keyOf, kept, busy, onEarlier, empty, children }: FeedProps): ReactNode {
  const { frame, list, away, toBottom } = useStickyList(count, keyOf, kept)
  return (
    <div className="relative flex min-h-0 grow flex-col">
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div
        ref={frame}
        role="region"
        aria-label="Messages"
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto overscroll-contain px-4 py-5 outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
      >
        {onEarlier && <Earlier onAsk={onEarlier} />}
        {count === 0 && empty}
        <div
          // An empty feed is an error for screen readers, so the role is set only if there are messages.
          {...(count > 0 && { role: 'feed', 'aria-label': label, 'aria-busy': busy })}
          className="relative mx-auto w-full max-w-3xl"
          style={{ height: list.getTotalSize() }}
        >
          {list.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)`, paddingBottom: GAP }}
            >
              {children(index)}
            </div>
          ))}
        </div>
      </div>
      {away && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button small className="pointer-events-auto shadow-sm" onClick={toBottom}>
            ↓ Jump to the latest
          </Button>
        </div>
      )}
    </div>
  )
}

function Earlier({ onAsk }: { readonly onAsk: () => Promise<unknown> }): ReactNode {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const ask = async (): Promise<void> => {
    setBusy(true)
    setProblem(
      await onAsk().then(
        () => undefined,
        ({ message }: Error) => message,
      ),
    )
    setBusy(false)
  }
  return (
    <div className="grid justify-items-center gap-1 pb-4">
      <Button small look="quiet" disabled={busy} onClick={() => void ask()}>
        Show earlier messages
      </Button>
      {problem !== undefined && (
        <p role="alert" className="text-xs text-destructive">
          {problem}
        </p>
      )}
    </div>
  )
}
