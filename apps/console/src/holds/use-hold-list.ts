/** One view of the inbox, as far as it was read. */
import { useEffect, useState } from 'react'
import type { HoldsFilter } from '@holdpoint/client'
import { useWatched, type WatchedResult } from '@holdpoint/react'
import { kindsOf, matches, type Wanted } from '../holds-filter.tsx'
import { useBy } from '../preferences.ts'
import { isMine } from './hold-key.ts'
import type { View } from './notices.tsx'
import { PAGE, readHolds, type FoundHolds } from './read-holds.ts'

export interface HoldsOfView extends Pick<WatchedResult<FoundHolds>, 'error' | 'connection' | 'refresh' | 'loading'> {
  /** Another list has another name. A text narrows a list, and more pages extend it. */
  readonly name: string
  readonly found: FoundHolds
}

/** How many rows are wanted of the list with this name. Of every other list, the first page. */
export interface Size {
  readonly name: string
  readonly count: number
}

const NOTHING: FoundHolds = { holds: [], more: false }
const FIRST_PAGE: Size = { name: '', count: PAGE }

/** While more of the same list is read, what was read before is shown. */
export function useHoldList(view: View, wanted: Wanted, size: Size = FIRST_PAGE): HoldsOfView {
  const by = useBy()
  const text = useLater(wanted.text)
  const { kind, agent } = wanted
  const name = JSON.stringify([view, by, kind, agent])
  const count = size.name === name ? size.count : PAGE
  const answer = useWatched(`holds ${name} ${count} ${text}`, (client, signal) =>
    readHolds({
      list: (query) => client.holds.list(query, { signal }),
      query: queryOf(view, by, agent),
      kinds: kindsOf(kind),
      matches: (hold) => (view !== 'mine' || isMine(hold)) && matches(hold, { ...wanted, text }),
      count,
    }),
  )
  const { value, loading } = answer
  const [before, setBefore] = useState({ name, found: value })
  const found = value ?? (before.name === name ? before.found : undefined)
  // Set during rendering, so that no frame is drawn without the rows.
  if (before.name !== name || before.found !== found) setBefore({ name, found })
  return { ...answer, name, loading: loading && !found, found: found ?? NOTHING }
}

function queryOf(view: View, by: string | undefined, agent: string): HoldsFilter {
  return {
    ...(view === 'mine' && { mine: true }),
    ...(view === 'asked' && { mine: 'asked' }),
    ...(by !== undefined && { by }),
    ...(agent !== '' && { agent }),
  }
}

const TYPING_MS = 300

/** The text once the user stopped typing: each text is a request. */
function useLater(text: string): string {
  const [later, setLater] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return later
}
