/**
 * Tracks the collapsed values inside a card. While a value that would run is collapsed, the card accepts no approval. One
 * button expands all of them.
 */
import { createContext, use, useLayoutEffect, useMemo, useState } from 'react'

interface Around {
  /** How many times the user has expanded everything. */
  readonly expansions: number
  /** A collapsed value registers itself. The returned function unregisters it. */
  readonly folded: () => () => void
}

export interface Folds {
  /** For the provider of `FoldsContext`. */
  readonly around: Around
  /** How many values are collapsed now. */
  readonly count: number
  readonly open: () => void
}

export const FoldsContext: React.Context<Around | undefined> = createContext<Around | undefined>(undefined)

export function useFolds(): Folds {
  const [count, setCount] = useState(0)
  const [expansions, setExpansions] = useState(0)
  const around = useMemo(
    () => ({
      expansions,
      folded: () => {
        setCount((now) => now + 1)
        return () => setCount((now) => now - 1)
      },
    }),
    [expansions],
  )
  return { around, count, open: () => setExpansions(expansions + 1) }
}

/** How many of `all` entries are shown: `first` at the start, and `page` more for each click. */
export function useFold(all: number, first: number, page: number): readonly [shown: number, more: () => void] {
  const around = use(FoldsContext)
  const [own, setOwn] = useState(first)
  // "Show everything" doubles the number each time, so that a very long text needs few clicks.
  const shown = own + page * (2 ** (around?.expansions ?? 0) - 1)
  const isFolded = shown < all
  const folded = around?.folded
  useLayoutEffect(() => (isFolded ? folded?.() : undefined), [isFolded, folded])
  return [shown, () => setOwn(own + page)]
}
