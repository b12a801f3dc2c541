import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useWatched } from '@holdpoint/react'
import { addressOf, Empty, Screen, Trouble } from '../parts.tsx'

export function AgentsScreen(): ReactNode {
  const { value, loading, error } = useWatched('agents', (client, signal) =>
    client.agents.list({ limit: 200 }, { signal }),
  )
  const agents = value?.items ?? []
  return (
    <Screen title="Agents" note="Those of the program, and those that were made over HTTP.">
      {error && <Trouble error={error} />}
      {!loading && agents.length === 0 && (
        <Empty title="There are no agents">
          Export <code className="font-mono">agents</code> from the module in{' '}
          <code className="font-mono">HOLDPOINT_APP</code>, or make one with{' '}
          <code className="font-mono">POST /api/agents</code>.
        </Empty>
      )}
      <ul className="grid gap-3 sm:grid-cols-2">
        {agents.map(({ name, source, model, instructions, tools, config }) => (
          <li key={name}>
            <Link
              href={addressOf.agent(name)}
              className="grid h-full content-start gap-1.5 rounded-lg border border-border bg-card px-4 py-3 outline-none hover:border-input focus-visible:ring-2 focus-visible:ring-ring"
            >
              <span className="flex items-baseline gap-2">
                <b className="font-medium">{name}</b>
                <span className="text-xs text-muted-foreground">
                  {source === 'code' ? 'part of the program' : 'made over HTTP'}
                </span>
              </span>
              <span className="font-mono text-xs text-muted-foreground">
                {model ?? (typeof config?.['model'] === 'string' ? config['model'] : '')}
              </span>
              {instructions !== undefined && <span className="line-clamp-2 text-sm">{instructions}</span>}
              {tools && (
                <span className="text-xs text-muted-foreground">
                  {tools.length === 1 ? 'one tool' : `${tools.length} tools`}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Screen>
  )
}
