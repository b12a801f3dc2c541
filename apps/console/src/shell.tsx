/** The frame of every screen: navigation, the number of waiting calls, and the state of the connection. */
import { useEffect, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { CallerRow, Connection } from '@holdpoint/client'
import { Button } from '@holdpoint/ui'
import { countWords } from './holds/count.ts'
import { useHoldList } from './holds/use-hold-list.ts'
import type { Wanted } from './holds-filter.tsx'
import { showBadge } from './parts.tsx'
import { signOut } from './session.ts'
import { useCaller } from './use-me.ts'

interface NavEntry {
  readonly to: string
  readonly name: string
  /** Drawn as one line, 16 by 16. */
  readonly mark: string
  /** Only for administrators: the gateway refuses others. */
  readonly admin?: true
}

/** The entries of the navigation, in order. Add a new screen here. */
const NAVIGATION: readonly NavEntry[] = [
  { to: '/holds', name: 'Holds', mark: 'M8 1.5v4M8 10.5v4M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z' },
  { to: '/spaces', name: 'Spaces', mark: 'M1.5 2.5h8v5.5H5L3 10V8H1.5zM11.5 6h3v5.5H13v2l-2-2H7V10' },
  { to: '/conversations', name: 'Conversations', mark: 'M2 3h12v8H7l-3 2.5V11H2z' },
  { to: '/search', name: 'Search', mark: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.7 10.7 14.5 14.5' },
  { to: '/agents', name: 'Agents', mark: 'M8 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM2.5 14c.5-3 2.8-4 5.5-4s5 1 5.5 4' },
  {
    to: '/workers',
    name: 'Workers',
    mark: 'M2.5 13.5 9 7M8 4.5a3 3 0 0 1 4-2.3L10.3 4l1.7 1.7L13.8 4A3 3 0 0 1 9.5 8z',
  },
  { to: '/mcp-servers', name: 'MCP servers', mark: 'M5.5 1.5v4M10.5 1.5v4M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5' },
  { to: '/rules', name: 'Rules', mark: 'M2.5 2.5h11v11h-11zM5 6h6M5 8.5h6M5 11h3' },
  { to: '/usage', name: 'Usage', mark: 'M2.5 13.5h11M4 13.5V8M8 13.5v-11M12 13.5V5.5', admin: true },
  { to: '/health', name: 'Health', mark: 'M1.5 8.5h3l2-5 3 9 2-4h3', admin: true },
  { to: '/settings', name: 'Settings', mark: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M9 3v3M7 10v3' },
]

/** The holds that people answer. Pages and workers answer the others. */
const FOR_PEOPLE: Wanted = { kind: 'people', agent: '', text: '' }

interface Framed {
  /** The person who signed in; undefined with a key. */
  readonly person: CallerRow | undefined
  readonly children: ReactNode
}

export function Shell({ person, children }: Framed): ReactNode {
  const { found, connection } = useHoldList('mine', FOR_PEOPLE)
  const waiting = { count: found.holds.length, more: found.more }
  const isAdmin = useCaller()?.scopes.includes('admin') === true
  const badge = waiting.count === 0 ? undefined : countWords(waiting)
  useEffect(() => showBadge(badge), [badge])
  return (
    <div className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr] md:grid-cols-[13rem_1fr] md:grid-rows-1 print:block print:h-auto">
      <a
        href="#main"
        className="sr-only z-10 rounded-md bg-primary px-3 py-2 text-primary-foreground focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <nav
        aria-label="Console"
        className="relative flex min-w-0 flex-wrap items-center gap-1 border-b print:hidden border-border px-2 py-1.5 max-sm:gap-0 md:flex-col md:flex-nowrap md:items-stretch md:overflow-x-auto md:border-e md:border-b-0 md:px-3 md:py-5"
      >
        <Link
          href="/"
          className="me-2 flex shrink-0 items-center gap-2 rounded-md px-2 py-1 font-semibold tracking-tight outline-none focus-visible:ring-2 focus-visible:ring-ring md:mb-4"
        >
          <img src="/mark.svg" alt="" className="size-5" />
          <span className="max-md:sr-only">Holdpoint</span>
        </Link>
        {NAVIGATION.filter((entry) => !entry.admin || isAdmin).map((entry) => (
          <NavLink key={entry.to} entry={entry} badge={entry.to === '/holds' ? badge : undefined} />
        ))}
        <ConnectionStatus connection={connection} />
        {person && <SignedIn person={person} />}
      </nav>
      <main id="main" tabIndex={-1} className="min-h-0 min-w-0 outline-none">
        {children}
      </main>
    </div>
  )
}

function NavLink({
  entry: { to, name, mark },
  badge,
}: {
  readonly entry: NavEntry
  readonly badge: string | undefined
}): ReactNode {
  const [path] = useLocation()
  const here = path === to || path.startsWith(`${to}/`)
  return (
    <Link
      href={to}
      aria-current={here ? 'page' : undefined}
      className="flex shrink-0 items-center gap-2.5 rounded-md px-2 py-1.5 text-sm max-sm:gap-1.5 text-muted-foreground outline-none hover:bg-accent hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground"
    >
      <svg
        aria-hidden
        viewBox="0 0 16 16"
        className="size-4 shrink-0 fill-none stroke-current stroke-[1.3]"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d={mark} />
      </svg>
      <span className="max-sm:sr-only">{name}</span>
      {badge !== undefined && (
        <span className="ms-auto rounded-full bg-held px-1.5 text-xs font-medium text-background tabular-nums">
          {badge}
          <span className="sr-only"> waiting for you</span>
        </span>
      )}
    </Link>
  )
}

function SignedIn({ person: { name, by, tenant } }: { readonly person: CallerRow }): ReactNode {
  const [failed, setFailed] = useState(false)
  return (
    <div className="flex shrink-0 items-center gap-1 md:mt-3 md:border-t md:border-border md:pt-3">
      <p className="min-w-0 grow truncate px-2 text-sm max-sm:sr-only" title={tenant === '' ? by : `${by} · ${tenant}`}>
        <span className="sr-only">Signed in as </span>
        {name ?? by}
      </p>
      <Button small look="quiet" onClick={() => void signOut().catch(() => setFailed(true))}>
        Sign out
      </Button>
      {failed && (
        <p role="alert" className="px-2 text-xs text-destructive">
          You are still signed in: the gateway did not answer.
        </p>
      )}
    </div>
  )
}

function ConnectionStatus({ connection }: { readonly connection: Connection }): ReactNode {
  const { word, look } = connectionWords(connection)
  return (
    <p
      role="status"
      className="ms-auto flex shrink-0 items-center gap-2 px-2 text-xs text-muted-foreground md:ms-0 md:mt-auto"
      data-connection={connection.state}
    >
      <span aria-hidden className={`size-1.5 rounded-full ${look}`} />
      <span className="max-sm:sr-only">{word}</span>
    </p>
  )
}

function connectionWords(connection: Connection): { readonly word: string; readonly look: string } {
  switch (connection.state) {
    case 'live':
      return { word: 'live', look: 'bg-ok' }
    case 'off':
    case 'connecting':
      return { word: 'connecting', look: 'bg-muted-foreground' }
    case 'waiting':
      return { word: 'offline, trying again', look: 'bg-held' }
    case 'stopped':
      return { word: connection.error.message, look: 'bg-destructive' }
  }
}
