/**
 * Whether something on the screen has been the same, and in the same place, for long enough to be answered. A press that
 * was meant for what was there a moment ago must not answer what is there now.
 */
import { useCallback, useLayoutEffect, useRef, useState, type RefCallback } from 'react'

/** For so long it must have stood still. A second click of a double click, and a key held down, come sooner. */
const SETTLE_MS = 700
/** How often its place is looked at. It is looked at once more when an answer is given. */
const LOOK_MS = 100
/** What moves less than this, in pixels, has not moved. */
const NEAR = 4

export interface Settled {
  readonly settled: boolean
  /** For the element whose place counts: the row of buttons. */
  readonly place: RefCallback<HTMLElement>
  /** As it is at this moment. */
  readonly isSettled: () => boolean
}

/** `what` is what would be answered: another text, another thing. */
export function useSettled(what: string): Settled {
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
    const timer = setInterval(isSettled, LOOK_MS)
    return () => clearInterval(timer)
  }, [what, isSettled])

  const place = useCallback((now: HTMLElement | null) => {
    element.current = now
  }, [])
  return { settled, place, isSettled }
}
