/** Lets another person decide in the place of the user for a time, and lists these people. */
import { useId, useState, type ReactNode } from 'react'
import type { DelegationRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, ShownText, Until, useNow } from '@holdpoint/ui'
import { INPUT, ErrorNotice } from './parts.tsx'
import { useBy } from './preferences.ts'
import { useCaller } from './use-me.ts'

const HOUR = 3_600_000

export function Delegations(): ReactNode {
  const by = useBy()
  const caller = useCaller()
  const client = useClient()
  const as = by === undefined ? {} : { by }
  const given = useWatched(`delegations from ${by ?? ''}`, (from, signal) =>
    from.delegations.list({ view: 'given', ...as }, { signal }),
  )
  const received = useWatched(`delegations to ${by ?? ''}`, (from, signal) => from.delegations.list(as, { signal }))
  const [problem, setProblem] = useState<Error>()
  const change = (made: Promise<unknown>): void => {
    void made.then(
      () => setProblem(undefined),
      (error: Error) => setProblem(error),
    )
    void made.finally(given.refresh).catch(() => {})
  }
  // A key decides for itself, and cannot be replaced.
  if (by === undefined && caller?.kind !== 'person') return null
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">While you are away</h2>
      <p className="max-w-prose text-sm text-muted-foreground">
        Let another person approve and answer for you. The log names both of you, and together you count as one.
      </p>
      <Delegate onDelegate={(to, until) => change(client.delegations.put(to, { until, ...as }))} />
      {(problem ?? given.error) && <ErrorNotice error={(problem ?? given.error) as Error} />}
      <List
        label="They decide for you"
        rows={given.value?.items ?? []}
        nameOf={({ to }) => to}
        onEnd={({ to }) => change(client.delegations.remove(to, as))}
      />
      <List label="You decide for them" rows={received.value?.items ?? []} nameOf={({ from }) => from} />
    </section>
  )
}

function Delegate({ onDelegate }: { readonly onDelegate: (to: string, until: number) => void }): ReactNode {
  const [to, setTo] = useState('')
  const [until, setUntil] = useState(() => localTime(Date.now() + 24 * HOUR))
  const id = useId()
  const at = new Date(until).getTime()
  const isLater = at > useNow()
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onDelegate(to.trim(), at)
        setTo('')
      }}
    >
      <div className="grid gap-1">
        <label htmlFor={`${id}-to`} className="text-xs text-muted-foreground">
          Person
        </label>
        <input
          id={`${id}-to`}
          className={`${INPUT} w-48`}
          autoComplete="off"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </div>
      <div className="grid gap-1">
        <label htmlFor={`${id}-until`} className="text-xs text-muted-foreground">
          Until
        </label>
        <input
          id={`${id}-until`}
          type="datetime-local"
          className={INPUT}
          value={until}
          onChange={(event) => setUntil(event.target.value)}
        />
      </div>
      <Button type="submit" disabled={to.trim() === '' || !isLater}>
        Let them decide
      </Button>
    </form>
  )
}

function List({
  label,
  rows,
  nameOf,
  onEnd,
}: {
  readonly label: string
  readonly rows: readonly DelegationRow[]
  readonly nameOf: (row: DelegationRow) => string
  readonly onEnd?: (row: DelegationRow) => void
}): ReactNode {
  const now = useNow()
  const open = rows.filter(({ until }) => until > now)
  const id = useId()
  if (open.length === 0) return null
  return (
    <div className="grid gap-1.5">
      <h3 id={id} className="text-sm font-medium">
        {label}
      </h3>
      <ul aria-labelledby={id} className="divide-y divide-border rounded-lg border border-border bg-card">
        {open.map((row) => (
          <li key={nameOf(row)} className="flex items-center gap-4 px-4 py-2 text-sm">
            <b className="min-w-0 truncate font-medium">
              <ShownText text={nameOf(row)} />
            </b>
            <span className="ms-auto text-xs text-muted-foreground">
              ends <Until at={row.until} />
            </span>
            {onEnd && (
              <Button small aria-label={`End for ${nameOf(row)}`} onClick={() => onEnd(row)}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** As an input of the type `datetime-local` has it: in the zone of this machine. */
function localTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 16)
}
