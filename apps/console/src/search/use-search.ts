/** Searches page by page. A page searches a limited part of the store, so an empty one is followed by the next. */
import { useCallback, useEffect, useState } from 'react'
import type { FoundConversation, SearchPage } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { filterOf, type Asked } from './search-filter.ts'

export interface Results {
  readonly items: readonly FoundConversation[]
  /** How many conversations were searched. */
  readonly conversations: number
  readonly unreadable: number
  readonly next: string | undefined
  readonly busy: boolean
  readonly error: Error | undefined
}

const FIRST: Results = {
  items: [],
  conversations: 0,
  unreadable: 0,
  next: undefined,
  busy: true,
  error: undefined,
}
/** Without a result, so many pages are asked for before the person is asked whether to go on. */
const EMPTY_PAGES = 5

export function useSearch(asked: Asked): Results & { readonly goOn: () => void } {
  const client = useClient()
  const [results, setResults] = useState(FIRST)
  /** Where a search goes on. It belongs to one filter. */
  const [place, setPlace] = useState<{ readonly key: string; readonly after: string | undefined }>()
  const key = JSON.stringify(asked)
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const from = place?.key === key ? place.after : undefined
    const ask = async (): Promise<void> => {
      let after = from
      for (let pages = 1; pages <= EMPTY_PAGES; pages++) {
        const filter = { ...filterOf(JSON.parse(key) as Asked), ...(after !== undefined && { after }) }
        const page = await client.conversations.search(filter, { signal })
        if (signal.aborted) return
        after = page.next
        const over = page.items.length > 0 || after === undefined || pages === EMPTY_PAGES
        setResults((before) => added(before, page, !over))
        if (over) return
      }
    }
    setResults((before) => (from === undefined ? FIRST : { ...before, busy: true, error: undefined }))
    ask().catch((error: unknown) => {
      if (signal.aborted) return
      const shown = error instanceof Error ? error : new Error(String(error))
      setResults((before) => ({ ...before, busy: false, error: shown }))
    })
    return () => stop.abort()
  }, [client, key, place])
  const { next } = results
  const goOn = useCallback(() => setPlace({ key, after: next }), [key, next])
  return { ...results, goOn }
}

function added(before: Results, { items, searched, unreadable, next }: SearchPage, busy: boolean): Results {
  const known = new Set(before.items.map(({ id }) => id))
  return {
    items: [...before.items, ...items.filter(({ id }) => !known.has(id))],
    conversations: before.conversations + searched.conversations,
    unreadable: before.unreadable + unreadable,
    next,
    busy,
    error: undefined,
  }
}
