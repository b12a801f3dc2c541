/** Parts that several screens use. */
import { useEffect, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ListedConversation } from '@holdpoint/client'
import { Button, errorWords, ShownText } from '@holdpoint/ui'

/** A screen: its title, what can be done there, and its content. The title is the document's too. */
export function Screen({
  title,
  note,
  actions,
  children,
  wide = false,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly wide?: boolean
}): ReactNode {
  useTitle(title)
  return (
    <div className="h-full overflow-y-auto print:h-auto print:overflow-visible">
      <div className={`mx-auto grid gap-5 px-4 py-6 sm:px-8 ${wide ? 'max-w-6xl' : 'max-w-4xl'}`}>
        <header className="flex flex-wrap items-end gap-x-4 gap-y-2">
          <div className="grid gap-1">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {note !== undefined && <p className="max-w-prose text-sm text-pretty text-muted-foreground">{note}</p>}
          </div>
          {actions !== undefined && <div className="ms-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
    </div>
  )
}

let title = 'Holdpoint'
let badge: string | undefined

export function useTitle(next: string): void {
  useEffect(() => {
    title = `${next} · Holdpoint`
    showBadge(badge)
  }, [next])
}

export function showBadge(text: string | undefined): void {
  badge = text
  document.title = badge === undefined ? title : `(${badge}) ${title}`
}

/** Says that there is nothing to show, and what the user can do. */
export function Empty({ title: what, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-border px-6 py-14 text-center">
      <p className="font-medium">{what}</p>
      <div className="max-w-md text-sm text-muted-foreground">{children}</div>
    </div>
  )
}

export function ErrorNotice({ error }: { readonly error: Error }): ReactNode {
  return (
    <p role="alert" className="rounded-md border border-destructive/40 bg-destructive/5 px-3 py-2 text-sm">
      <ShownText text={errorWords(error)} />
    </p>
  )
}

/** Shown in place of a page that failed to render. */
export function cannotBeShown(error: Error): ReactNode {
  return (
    <div className="mx-auto grid max-w-2xl gap-3 px-4 py-10">
      <p>This page cannot be shown.</p>
      <ErrorNotice error={error} />
      <Button small className="justify-self-start" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  )
}

/** Shown while a page loads. */
export function Loading(): ReactNode {
  return (
    <p role="status" className="px-4 py-10 text-center text-sm text-muted-foreground">
      Loading…
    </p>
  )
}

const STATUS: Readonly<Record<ListedConversation['status'], readonly [word: string, look: string, dot: string]>> = {
  running: ['running', 'text-ring', 'bg-ring'],
  held: ['waiting', 'text-held', 'bg-held'],
  idle: ['idle', 'text-muted-foreground', 'bg-muted-foreground/50'],
}

export function Status({ status }: { readonly status: ListedConversation['status'] }): ReactNode {
  const [word, look, dot] = STATUS[status]
  return (
    <span className={`inline-flex items-center gap-1.5 text-xs ${look}`}>
      <span aria-hidden className={`size-1.5 rounded-full ${dot}`} />
      {word}
    </span>
  )
}

export function TextLink({
  to,
  children,
  className = '',
}: {
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
}): ReactNode {
  return (
    <Link
      href={to}
      className={`rounded-sm text-ring underline decoration-ring/40 underline-offset-3 outline-none hover:decoration-ring focus-visible:ring-2 focus-visible:ring-ring ${className}`}
    >
      {children}
    </Link>
  )
}

/** Tabs: several views of one object, each with its own address. */
export function Views({
  label,
  views,
}: {
  readonly label: string
  readonly views: readonly { readonly to: string; readonly name: string; readonly here: boolean }[]
}): ReactNode {
  return (
    <nav aria-label={label} className="flex gap-0.5 rounded-md bg-muted p-0.5 text-xs">
      {views.map(({ to, name, here }) => (
        <Link
          key={to}
          href={to}
          aria-current={here ? 'page' : undefined}
          className="rounded-[5px] px-2.5 py-1 text-muted-foreground outline-none hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring aria-[current=page]:bg-card aria-[current=page]:text-foreground aria-[current=page]:shadow-xs"
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

export const addressOf = {
  conversation: (id: string): string => `/conversations/${encodeURIComponent(id)}`,
  timeline: (id: string): string => `/conversations/${encodeURIComponent(id)}/timeline`,
  hold: (conversationId: string, callId: string): string =>
    `/holds/${encodeURIComponent(conversationId)}/${encodeURIComponent(callId)}`,
  evidence: (conversationId: string, callId: string): string =>
    `/holds/${encodeURIComponent(conversationId)}/${encodeURIComponent(callId)}/evidence`,
  space: (id: string): string => `/spaces/${encodeURIComponent(id)}`,
  agent: (name: string): string => `/agents/${encodeURIComponent(name)}`,
  life: (name: string): string => `/agents/${encodeURIComponent(name)}/life`,
} as const

export const INPUT =
  'h-8 rounded-md border border-input bg-card px-2.5 text-sm outline-none placeholder:text-muted-foreground focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/40'
