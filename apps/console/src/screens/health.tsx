/** The health of the gateway, and what is running now. For administrators. */
import { useEffect, useState, type ReactNode } from 'react'
import type { NodeReport, SystemHealth } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { Ago, ShownText, spanOf } from '@holdpoint/ui'
import { LiveActivity } from '../health/live-activity.tsx'
import { ErrorNotice, Loading, Screen } from '../parts.tsx'

const EVERY_MS = 5000

export function HealthScreen(): ReactNode {
  const { health, error } = useHealth()
  return (
    <Screen
      wide
      title="Health"
      note="The store, the processes on it, and what is running now. Read again every 5 seconds."
    >
      {error && <ErrorNotice error={error} />}
      {!health && !error && <Loading />}
      {health && <Facts health={health} />}
      {health && <Nodes nodes={health.nodes} at={health.at} />}
      <LiveActivity />
      {health && <Problems health={health} />}
    </Screen>
  )
}

/** Numbers above these are marked. */
const SLOW_STORE_MS = 250
const SLOW_LOOP_MS = 200
const OLD_NEWS_MS = 60_000

interface Fact {
  readonly name: string
  readonly value: string
  /** Why it needs attention. A word, and not only a colour. */
  readonly warning?: string | undefined
}

function Facts({ health }: { readonly health: SystemHealth }): ReactNode {
  return (
    <dl className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-border bg-border sm:grid-cols-2 lg:grid-cols-3">
      {factsOf(health).map(({ name, value, warning }) => (
        <div key={name} className="grid gap-0.5 bg-card px-4 py-3">
          <dt className="text-xs text-muted-foreground">{name}</dt>
          <dd className="text-sm tabular-nums">
            {value} {warning !== undefined && <b className="text-held">{warning}</b>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function factsOf({ store, overdue, nextDeadlineAt, outbox, channels, at, nodes }: SystemHealth): readonly Fact[] {
  const { readMs, writeMs } = store
  const driving = nodes.filter(({ drives, leased }) => drives && leased).length
  const oldest = outbox.oldestAt === undefined ? 0 : at - outbox.oldestAt
  const slow = (ms: number): string | undefined => (ms > SLOW_STORE_MS ? 'slow' : undefined)
  return [
    readMs === undefined
      ? { name: 'Store, a read', value: '', warning: 'does not answer' }
      : { name: 'Store, a read', value: msWords(readMs), warning: slow(readMs) },
    writeMs === undefined
      ? { name: 'Store, a durable write', value: '', warning: 'failed' }
      : { name: 'Store, a durable write', value: msWords(writeMs), warning: slow(writeMs) },
    {
      name: 'Processes that drive conversations',
      value: `${driving} of ${nodes.length}`,
      warning: driving === 0 ? 'nothing continues' : undefined,
    },
    {
      name: 'Work that no process took up',
      value: countWords(overdue),
      warning: overdue.count > 0 && driving === 0 ? 'waits' : undefined,
    },
    { name: 'Next deadline', value: nextDeadlineAt === undefined ? 'none' : inWords(nextDeadlineAt - at) },
    {
      name: 'Outbox',
      value: outbox.count === 0 ? 'empty' : `${countWords(outbox)}, the oldest since ${spanOf(Math.max(0, oldest))}`,
      warning: oldest > OLD_NEWS_MS ? 'late' : undefined,
    },
    ...channels.map(({ name, waiting, retrying }) => ({
      name: `Channel ${name}`,
      value: `${waiting} to do`,
      warning: retrying > 0 ? `${retrying} failed and are tried again` : undefined,
    })),
  ]
}

function Nodes({ nodes, at }: { readonly nodes: readonly NodeReport[]; readonly at: number }): ReactNode {
  const titles = ['Process', 'Drives', 'Running for', 'Conversations', 'Streams', 'Event loop', 'Write', 'Memory']
  return (
    <section aria-labelledby="nodes" className="grid gap-2">
      <h2 id="nodes" className="text-base font-semibold">
        Processes
      </h2>
      <div
        role="group"
        aria-label="Processes"
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-border bg-card outline-none focus-visible:ring-2 focus-visible:ring-ring"
      >
        <table className="w-full border-collapse text-xs whitespace-nowrap tabular-nums">
          <thead className="text-muted-foreground">
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col" className="px-3 py-2 text-start font-normal">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={node.id} className="border-t border-border">
                <th scope="row" className="px-3 py-1.5 text-start font-mono font-normal" title={node.id}>
                  {node.id.slice(0, 8)}
                  {node.here && ' (answers here)'}
                </th>
                <td className="px-3 py-1.5">
                  {node.drives ? node.leased ? 'yes' : <b className="text-held">its lease has ended</b> : 'no'}
                </td>
                <td className="px-3 py-1.5">{spanOf(Math.max(0, at - node.startedAt))}</td>
                <td className="px-3 py-1.5">{node.active}</td>
                <td className="px-3 py-1.5">{node.streams}</td>
                <td className="px-3 py-1.5">
                  {msWords(node.eventLoopMs)} {node.eventLoopMs > SLOW_LOOP_MS && <b className="text-held">busy</b>}
                </td>
                <td className="px-3 py-1.5">{msWords(node.storeMs)}</td>
                <td className="px-3 py-1.5">{Math.round(node.memoryBytes / 1_048_576)} MB</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Problems({ health: { problems } }: { readonly health: SystemHealth }): ReactNode {
  return (
    <section aria-labelledby="problems" className="grid gap-2">
      <h2 id="problems" className="text-base font-semibold">
        Newest problems
      </h2>
      {problems.length === 0 ? (
        <p className="text-sm text-muted-foreground">The process that answers has had none since it started.</p>
      ) : (
        <ul className="divide-y divide-border rounded-lg border border-border bg-card text-sm">
          {problems.map(({ at, message, code }, index) => (
            <li key={index} className="flex flex-wrap gap-x-3 px-4 py-2">
              <span className="min-w-0 [overflow-wrap:anywhere]">
                <ShownText text={message} />
              </span>
              <span className="ms-auto text-xs text-muted-foreground">
                {code !== undefined && <code className="font-mono">{code} </code>}
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function useHealth(): { readonly health?: SystemHealth; readonly error?: Error } {
  const client = useClient()
  const [state, setState] = useState<{ readonly health?: SystemHealth; readonly error?: Error }>({})
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = (): void =>
      void client.system
        .health({ signal })
        .then(
          (health) => void (signal.aborted || setState({ health })),
          // The last numbers would look like those of now.
          (error: unknown) =>
            void (signal.aborted || setState({ error: error instanceof Error ? error : new Error(String(error)) })),
        )
        .then(() => {
          if (!signal.aborted) timer = setTimeout(ask, EVERY_MS)
        })
    ask()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client])
  return state
}

function countWords({ count, more }: { readonly count: number; readonly more: boolean }): string {
  return count === 0 ? 'none' : `${count}${more ? ' or more' : ''}`
}

function msWords(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

function inWords(ms: number): string {
  return ms <= 0 ? 'now' : `in ${spanOf(ms)}`
}
