/**
 * What is folded inside a card. A card that asks for a yes takes none while something that will run is folded, and can open
 * all of it.
 */
import { createContext, use, useLayoutEffect, useMemo, useState } from 'react'

interface Around {
  /** How often all of it was asked for. */
  readonly asked: number
  /** Called by what is folded. Gives back what says that it is open. */
  readonly folded: () => () => void
}

export interface Folds {
  /** For the provider of `FoldsContext`. */
  readonly around: Around
  /** How many places are folded now. */
  readonly count: number
  readonly open: () => void
}

export const FoldsContext: React.Context<Around | undefined> = createContext<Around | undefined>(undefined)

export function useFolds(): Folds {
  const [count, setCount] = useState(0)
  const [asked, setAsked] = useState(0)
  const around = useMemo(
    () => ({
      asked,
      folded: () => {
        setCount((now) => now + 1)
        return () => setCount((now) => now - 1)
      },
    }),
    [asked],
  )
  return { around, count, open: () => setAsked(asked + 1) }
}

/** How many are shown of so many, `first` of them at first. */
export function useFold(all: number, first: number, page: number): readonly [shown: number, more: () => void] {
  const around = use(FoldsContext)
  const [own, setOwn] = useState(first)
  // Twice as many each time, so that the end of a very long text is not a hundred clicks away.
  const shown = own + page * (2 ** (around?.asked ?? 0) - 1)
  const isFolded = shown < all
  const folded = around?.folded
  useLayoutEffect(() => (isFolded ? folded?.() : undefined), [isFolded, folded])
  return [shown, () => setOwn(own + page)]
}
