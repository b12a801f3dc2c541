import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AgentRow } from '@holdpoint/client'
import { useWatched } from '@holdpoint/react'
import { addressOf, Empty, Screen, ErrorNotice } from '../parts.tsx'
import { modelOf } from './agent.tsx'

export function AgentsScreen(): ReactNode {
  const { value, loading, error } = useWatched('agents', (client, signal) =>
    client.agents.list({ limit: 200 }, { signal }),
  )
  const agents = value?.items ?? []
  return (
    <Screen
      title="Agents"
      note="An agent has a model, instructions and tools. Agents are defined in your program or created over HTTP."
    >
      {error && <ErrorNotice error={error} />}
      {!loading && agents.length === 0 && (
        <Empty title="There are no agents">
          Export <code className="font-mono">agents</code> from the module in{' '}
          <code className="font-mono">HOLDPOINT_APP</code>, or create one with{' '}
          <code className="font-mono">POST /api/agents</code>.
        </Empty>
      )}
      <ul className="grid gap-3 sm:grid-cols-2">
        {agents.map((agent) => (
          <li key={agent.name}>
            <Link
              href={addressOf.agent(agent.name)}
              className="grid h-full content-start gap-1.5 rounded-lg border border-border bg-card px-4 py-3 outline-none hover:border-input focus-visible:ring-2 focus-visible:ring-ring"
            >
              <span className="flex items-baseline gap-2">
                <b className="font-medium">{agent.name}</b>
                <span className="text-xs text-muted-foreground">
                  {agent.source === 'code' ? 'defined in the program' : 'created over HTTP'}
                </span>
              </span>
              <span className="font-mono text-xs text-muted-foreground">{modelOf(agent)}</span>
              <span className="line-clamp-2 text-sm">{instructionsOf(agent)}</span>
              <span className="text-xs text-muted-foreground">{toolsWords(agent)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Screen>
  )
}

/** In a list, an agent that was created over HTTP has its definition only. */
function instructionsOf({ instructions, config }: AgentRow): string {
  const text = instructions ?? config?.['instructions']
  return typeof text === 'string' ? text : ''
}

function toolsWords({ tools, config }: AgentRow): string {
  const all: unknown = tools ?? config?.['tools']
  const count = Array.isArray(all) ? all.length : 0
  return count === 0 ? 'no tools' : count === 1 ? 'one tool' : `${count} tools`
}
