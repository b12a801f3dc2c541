/** Durations and times in words, updated every second. */
import { useSyncExternalStore, type ReactNode } from 'react'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `6 d 23 h`, `4 min 10 s`, `40 ms`: the two largest units. */
export function spanOf(ms: number): string {
  if (ms < SECOND) return `${Math.round(Math.max(0, ms))} ms`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`
}

/** One clock for every time on the page. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = 0

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, SECOND)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, in whole seconds. 0 on a server and during hydration. */
export function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => (timer === undefined ? Math.floor(Date.now() / SECOND) * SECOND : now),
    () => 0,
  )
}

/** Counts down to a deadline, and turns red when little is left. */
export function Countdown({ until }: { readonly until: number }): ReactNode {
  const at = useNow()
  const left = until - at
  const date = new Date(until)
  return (
    <time
      dir="auto"
      dateTime={date.toISOString()}
      title={date.toLocaleString()}
      suppressHydrationWarning
      className={`tabular-nums ${at !== 0 && left < MINUTE ? 'text-destructive' : ''}`}
    >
      {at === 0 ? date.toISOString().slice(0, 16) : left > 0 ? `expires in ${spanOf(left)}` : 'expired'}
    </time>
  )
}

/** When something is due: "in 2 h". */
export function Until({ at }: { readonly at: number }): ReactNode {
  const now = useNow()
  const date = new Date(at)
  return (
    <time
      dir="auto"
      dateTime={date.toISOString()}
      title={date.toLocaleString()}
      suppressHydrationWarning
      className="tabular-nums"
    >
      {now === 0 ? date.toISOString().slice(0, 16) : at > now ? `in ${spanOf(at - now)}` : 'now'}
    </time>
  )
}

export function Ago({ at }: { readonly at: number }): ReactNode {
  const passed = useNow() - at
  const date = new Date(at)
  return (
    <time
      dir="auto"
      dateTime={date.toISOString()}
      title={date.toLocaleString()}
      suppressHydrationWarning
      className="tabular-nums"
    >
      {passed < 5 * SECOND ? 'just now' : `${spanOf(passed).split(' ').slice(0, 2).join(' ')} ago`}
    </time>
  )
}
