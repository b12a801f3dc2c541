import type { ReactNode } from 'react'
import type { Resolving } from './use-resolve.ts'

/** The buttons of a card. `useSettled` measures the position of this row: if it has just moved, the card accepts no answer. */
export function AnswerRow({
  resolving: { place, tooSoon },
  children,
}: {
  readonly resolving: Pick<Resolving, 'place' | 'tooSoon'>
  readonly children: ReactNode
}): ReactNode {
  return (
    <div ref={place} className="flex flex-wrap items-center gap-2">
      {children}
      {tooSoon && (
        <p role="status" className="text-xs text-held">
          Not answered: this has just appeared, moved or changed. Press again.
        </p>
      )}
    </div>
  )
}
