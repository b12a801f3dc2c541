/**
 * A click meant for one card must not answer another card that has just moved there. So a card accepts answers only after
 * its content and its position have stayed the same for a while.
 */
import { useCallback, useLayoutEffect, useRef, useState, type RefCallback } from 'react'

/** The time without a change. The second click of a double click and a repeating key come sooner. */
const SETTLE_MS = 700
/** How often the position is measured. It is measured again when the user answers. */
const MEASURE_EVERY_MS = 100
/** Smaller movements, in pixels, are ignored. */
const NEAR = 4

export interface Settled {
  readonly settled: boolean
  /** The ref for the element that is measured: the row of buttons. */
  readonly place: RefCallback<HTMLElement>
  /** Measures now. */
  readonly isSettled: () => boolean
}

/** `content` identifies what the card shows. */
export function useSettled(content: string): Settled {
  const element = useRef<HTMLElement>(null)
  const last = useRef({ top: 0, left: 0, since: 0 })
  const [settled, setSettled] = useState(false)

  const isSettled = useCallback((): boolean => {
    const now = performance.now()
    const { top = 0, left = 0 } = element.current?.getBoundingClientRect() ?? {}
    const moved = Math.abs(top - last.current.top) > NEAR || Math.abs(left - last.current.left) > NEAR
    if (moved) last.current = { top, left, since: now }
    const is = now - last.current.since >= SETTLE_MS
    setSettled(is)
    return is
  }, [])

  useLayoutEffect(() => {
    last.current = { ...last.current, since: performance.now() }
    isSettled()
    const timer = setInterval(isSettled, MEASURE_EVERY_MS)
    return () => clearInterval(timer)
  }, [content, isSettled])

  const place = useCallback((now: HTMLElement | null) => {
    element.current = now
  }, [])
  return { settled, place, isSettled }
}
