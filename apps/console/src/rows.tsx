/** A list of rows with a button for more, and a text for an empty list. */
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { Client, ListOf } from '@holdpoint/client'
import { useWatched } from '@holdpoint/react'
import { Button } from '@holdpoint/ui'
import { ErrorNotice } from './parts.tsx'

export interface RowsProps<T> {
  /** The cache key of the list: different queries need different keys. */
  readonly of: string
  readonly ask: (client: Client, limit: number, signal: AbortSignal) => Promise<ListOf<T>>
  readonly empty: ReactNode
  readonly children: (row: T) => ReactNode
}

const FIRST = 50
const MORE = 100

export function Rows<T extends { readonly id: string }>({ of, ask, empty, children }: RowsProps<T>): ReactNode {
  const [limit, setLimit] = useState(FIRST)
  const { value, loading, error } = useWatched(`${of} ${limit}`, (client, signal) => ask(client, limit, signal))
  const rows = value?.items ?? []
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {!loading && !error && rows.length === 0 && empty}
      {rows.length > 0 && (
        <ul className="divide-y divide-border overflow-hidden rounded-lg border border-border bg-card">
          {rows.map((row) => (
            <li key={row.id}>{children(row)}</li>
          ))}
        </ul>
      )}
      {value?.next !== undefined && (
        <Button small className="justify-self-center" onClick={() => setLimit(limit + MORE)}>
          Show more
        </Button>
      )}
    </>
  )
}

export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }): ReactNode {
  return (
    <Link
      href={to}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5 outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
    >
      {children}
    </Link>
  )
}
