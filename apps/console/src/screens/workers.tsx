import type { ReactNode } from 'react'
import type { WorkerRow } from '@holdpoint/client'
import { useHolds, useWatched } from '@holdpoint/react'
import { Ago, spanOf, useNow } from '@holdpoint/ui'
import { Empty, Screen, Trouble } from '../parts.tsx'

/** Workers ask for work at least every half minute, or say how far they are. */
const QUIET_MS = 60_000

export function WorkersScreen(): ReactNode {
  const { value, loading, error } = useWatched('workers', (client, signal) =>
    client.calls.workers({ limit: 200 }, { signal }),
  )
  const { holds } = useHolds({ kind: 'external' })
  const workers = value?.items ?? []
  const nobody = [...new Set(holds.map(({ name }) => name))].filter(
    (name) => !workers.some(({ tools }) => tools.includes(name)),
  )
  return (
    <Screen
      title="Workers"
      note="Programs that carry out calls for agents. They come by themselves, each with a key of its own."
    >
      {error && <Trouble error={error} />}
      {nobody.length > 0 && (
        <p role="status" className="rounded-md border border-held/40 bg-held-muted px-3 py-2 text-sm">
          Calls wait that no worker was heard to carry out: {nobody.join(', ')}.
        </p>
      )}
      {!loading && workers.length === 0 && (
        <Empty title="No worker was heard of within the last hour">
          A worker is a few lines in any language: it claims calls with{' '}
          <code className="font-mono">POST /api/calls/claim</code>, and brings results.
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
  const quiet = now - seenAt > QUIET_MS
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <span aria-hidden className={`size-2 self-center rounded-full ${quiet ? 'bg-held' : 'bg-ok'}`} />
      <b className="font-medium">{by.replace(/^key:/, '')}</b>
      <span className="font-mono text-xs">{tools.join(', ')}</span>
      <span className="ms-auto text-xs text-muted-foreground">
        {waiting > 0 && `${waiting} waiting · `}
        {quiet ? 'quiet, last heard of ' : 'heard of '}
        <Ago at={seenAt} />
        {` · there for ${spanOf(Math.max(0, seenAt - since))}`}
      </span>
    </li>
  )
}
