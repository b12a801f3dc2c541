import type { ReactNode } from 'react'
import type { Resolving } from './use-resolve.ts'

/** The buttons that answer. Where they are counts: a row that has just moved takes no answer. */
export function AnswerRow({
  resolving: { place, tooSoon },
  children,
}: {
  readonly resolving: Resolving
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
