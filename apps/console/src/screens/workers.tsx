import type { ReactNode } from 'react'
import type { WorkerRow } from '@holdpoint/client'
import { useHolds, useWatched } from '@holdpoint/react'
import { Ago, spanOf, useNow } from '@holdpoint/ui'
import { Empty, Screen, ErrorNotice } from '../parts.tsx'

/** A worker asks for work or reports progress at least every half minute, so one silent for a minute is inactive. */
const INACTIVE_MS = 60_000

export function WorkersScreen(): ReactNode {
  const { value, loading, error } = useWatched('workers', (client, signal) =>
    client.calls.workers({ limit: 200 }, { signal }),
  )
  const { holds } = useHolds({ kind: 'external' })
  const workers = value?.items ?? []
  const unserved = [...new Set(holds.map(({ name }) => name))].filter(
    (name) => !workers.some(({ tools }) => tools.includes(name)),
  )
  return (
    <Screen
      title="Workers"
      note="Programs that run external calls for agents. Each worker appears here when it asks for work with its key."
    >
      {error && <ErrorNotice error={error} />}
      {unserved.length > 0 && (
        <p role="status" className="rounded-md border border-held/40 bg-held-muted px-3 py-2 text-sm">
          Calls of these tools are waiting, and no worker runs them: {unserved.join(', ')}.
        </p>
      )}
      {!loading && workers.length === 0 && (
        <Empty title="No worker was active in the last hour">
          A worker is a small program in any language. It claims calls with{' '}
          <code className="font-mono">POST /api/calls/claim</code> and posts their results.
        </Empty>
      )}
      {workers.length > 0 && (
        <ul className="divide-y divide-border rounded-lg border border-border bg-card">
          {workers.map((worker) => (
            <Worker
              key={worker.id}
              worker={worker}
              waiting={holds.filter(({ name }) => worker.tools.includes(name)).length}
            />
          ))}
        </ul>
      )}
    </Screen>
  )
}

function Worker({
  worker: { by, tools, since, seenAt },
  waiting,
}: {
  readonly worker: WorkerRow
  readonly waiting: number
}): ReactNode {
  const now = useNow()
  const inactive = now - seenAt > INACTIVE_MS
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <span aria-hidden className={`size-2 self-center rounded-full ${inactive ? 'bg-held' : 'bg-ok'}`} />
      <b className="font-medium">{by.replace(/^key:/, '')}</b>
      <span className="font-mono text-xs">{tools.join(', ')}</span>
      <span className="ms-auto text-xs text-muted-foreground">
        {waiting > 0 && `${waiting} waiting · `}
        {inactive ? 'inactive, last seen ' : 'seen '}
        <Ago at={seenAt} />
        {` · active for ${spanOf(Math.max(0, seenAt - since))}`}
      </span>
    </li>
  )
}
