/**
 * What waited for an answer and no longer does keeps its place for a while, so that the next thing that waits does not
 * come under the hand of a reader who is about to press something.
 */
import { useLayoutEffect, useRef, type ReactNode } from 'react'

/** So long a place is kept. */
export const KEEP_MS = 3000

export function KeepPlace({ waits, children }: { readonly waits: boolean; readonly children: ReactNode }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = place.current
    if (!element || !waits) return undefined
    giveUp(element)
    let height = 0
    const measure = (): void => {
      height = element.getBoundingClientRect().height
    }
    // Without an observer the height is that of the first drawing: still close, and the card still works.
    measure()
    const observer = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(measure)
    observer?.observe(element)
    return () => {
      observer?.disconnect()
      element.style.minHeight = `${height}px`
      element.dataset['kept'] = ''
      setTimeout(() => giveUp(element), KEEP_MS)
    }
  }, [waits])
  return (
    <div ref={place} className="rounded-lg outline-1 outline-transparent outline-dashed data-kept:outline-border">
      {children}
    </div>
  )
}

function giveUp(element: HTMLElement): void {
  element.style.minHeight = ''
  delete element.dataset['kept']
}
