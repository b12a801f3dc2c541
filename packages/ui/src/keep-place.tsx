/**
 * When a card is answered, the next card would move under the pointer of a user who is about to click. So the space of
 * the answered card stays empty for a while.
 */
import { useLayoutEffect, useRef, type ReactNode } from 'react'

/** How long the space is kept. */
export const KEEP_MS = 3000

export function KeepPlace({ waits, children }: { readonly waits: boolean; readonly children: ReactNode }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = place.current
    if (!element || !waits) return undefined
    collapse(element)
    let height = 0
    const measure = (): void => {
      height = element.getBoundingClientRect().height
    }
    // Without ResizeObserver, the height of the first drawing is used.
    measure()
    const observer = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(measure)
    observer?.observe(element)
    return () => {
      observer?.disconnect()
      element.style.minHeight = `${height}px`
      element.dataset['kept'] = ''
      setTimeout(() => collapse(element), KEEP_MS)
    }
  }, [waits])
  return (
    <div ref={place} className="rounded-lg outline-1 outline-transparent outline-dashed data-kept:outline-border">
      {children}
    </div>
  )
}

function collapse(element: HTMLElement): void {
  element.style.minHeight = ''
  delete element.dataset['kept']
}
