/** A virtual list that stays at its end unless the reader scrolled up. */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NONE: readonly number[] = []

/** The distance in pixels that counts as the end. */
const NEAR = 48

export interface StickyList {
  readonly frame: React.RefObject<HTMLDivElement | null>
  readonly list: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>
  /** The reader scrolled up. */
  readonly away: boolean
  readonly toBottom: () => void
}

/** The indices in `kept` are drawn even when they are not visible. */
export function useStickyList(
  count: number,
  keyOf: (index: number) => string,
  kept: readonly number[] = NONE,
): StickyList {
  const frame = useRef<HTMLDivElement>(null)
  const stuck = useRef(true)
  /** The scroll position that this hook set last. */
  const placed = useRef(0)
  const [away, setAway] = useState(false)
  const list = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => frame.current,
    getItemKey: keyOf,
    estimateSize: () => 120,
    overscan: 6,
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const seen = defaultRangeExtractor(range)
        const more = kept.filter((index) => index < range.count && !seen.includes(index))
        return more.length > 0 ? [...seen, ...more].sort((a, b) => a - b) : seen
      },
      [kept],
    ),
  })
  const size = list.getTotalSize()
  const first = count > 0 ? keyOf(0) : undefined
  const before = useRef({ first, size })

  useLayoutEffect(() => {
    const element = frame.current
    const was = before.current
    before.current = { first, size }
    if (!element) return
    // The browser reports a scroll one frame later, so the reader may have scrolled up already. If the list became shorter,
    // the browser itself moved up, but then the position is at the end.
    if (element.scrollTop < placed.current - 2 && !isNearEnd(element)) stuck.current = false
    if (stuck.current) element.scrollTop = element.scrollHeight
    // Older messages were added above. Keep the visible ones in place.
    else if (was.first !== undefined && was.first !== first && size > was.size) element.scrollTop += size - was.size
    placed.current = element.scrollTop
  }, [first, size])

  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const look = (): void => {
      stuck.current = isNearEnd(element)
      placed.current = element.scrollTop
      setAway(!stuck.current)
    }
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [])

  const toBottom = (): void => {
    const element = frame.current
    if (element) element.scrollTop = element.scrollHeight
    element?.focus()
  }
  return { frame, list, away, toBottom }
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR
}
