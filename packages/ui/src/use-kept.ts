/** A list in which a removed item keeps its place for a while. */
import { useEffect, useState } from 'react'
import { KEEP_MS } from './keep-place.tsx'

export interface Kept<T> {
  readonly key: string
  readonly item: T
  readonly gone: boolean
}

/** `list` names the list: the removed items of one list are not kept in another. */
export function useKept<T>(items: readonly T[], keyOf: (item: T) => string, list = ''): readonly Kept<T>[] {
  const [known, setKnown] = useState<{ readonly list: string; readonly all: readonly Kept<T>[] }>({ list, all: [] })
  const before = known.list === list ? known.all : []
  const now = withGone(
    items.map((item) => ({ key: keyOf(item), item, gone: false })),
    before,
  )
  // Set during rendering, so that no frame is drawn without the removed item.
  if (
    known.list !== list ||
    now.length !== before.length ||
    now.some(({ item, gone }, nth) => item !== before[nth]?.item || gone !== before[nth].gone)
  )
    setKnown({ list, all: now })
  const leaving = now.filter(({ gone }) => gone).length
  useEffect(() => {
    if (leaving === 0) return undefined
    const forget = (): void => setKnown(({ all, ...rest }) => ({ ...rest, all: all.filter(({ gone }) => !gone) }))
    const timer = setTimeout(forget, KEEP_MS)
    return () => clearTimeout(timer)
  }, [leaving])
  return now
}

/** Inserts each removed item after the item that it followed before. */
function withGone<T>(now: Kept<T>[], before: readonly Kept<T>[]): readonly Kept<T>[] {
  const present = new Set(now.map(({ key }) => key))
  for (const [nth, { key, item }] of before.entries()) {
    if (present.has(key)) continue
    const previous = before[nth - 1]?.key
    now.splice(now.findIndex((each) => each.key === previous) + 1, 0, { key, item, gone: true })
  }
  return now
}
