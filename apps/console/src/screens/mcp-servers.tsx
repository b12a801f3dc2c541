/** The MCP servers that agents use: how they are, what they offer, and what they changed since it was allowed. */
import { useEffect, useState, type ReactNode } from 'react'
import type { McpServerRow, McpToolRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, JsonChanges, ShownText } from '@holdpoint/ui'
import { Empty, Screen, Trouble } from '../parts.tsx'

/** Nothing is written when a server goes away or comes back, so it is asked for now and then. */
const LOOK_MS = 10_000

export function McpServersScreen(): ReactNode {
  const { value, loading, error, refresh } = useWatched('mcp servers', (client, signal) =>
    client.mcp.servers({ signal }),
  )
  useEffect(() => {
    const timer = setInterval(refresh, LOOK_MS)
    return () => clearInterval(timer)
  }, [refresh])
  const servers = value?.items ?? []
  return (
    <Screen
      title="MCP servers"
      note="Their tools are tools of agents. One that is not well costs its own tools, and nothing else."
    >
      {error && <Trouble error={error} />}
      {!loading && !error && servers.length === 0 && (
        <Empty title="No MCP servers are used here">
          Set them up with <code className="font-mono">mcpServers()</code> of{' '}
          <code className="font-mono">@holdpoint/mcp</code>, give its plugin to an agent, and the gateway its{' '}
          <code className="font-mono">mcp</code> setting.
        </Empty>
      )}
      <ul className="grid gap-4">
        {servers.map((server) => (
          <Server key={`${server.name} ${server.at}`} server={server} onAccepted={refresh} />
        ))}
      </ul>
    </Screen>
  )
}

const HEALTH: Readonly<Record<McpServerRow['health'], readonly [words: string, look: string]>> = {
  new: ['not needed yet', 'bg-muted-foreground/50'],
  ready: ['ready', 'bg-ok'],
  away: ['away, is tried again', 'bg-destructive'],
}

const ERAS = { modern: 'modern era', legacy: 'legacy era' } as const

function Server({
  server: { name, at, transport, health, era, version, lastError, tools, refused },
  onAccepted,
}: {
  readonly server: McpServerRow
  readonly onAccepted: () => void
}): ReactNode {
  const [words, look] = HEALTH[health]
  return (
    <li className="grid grid-cols-1 gap-3 rounded-lg border border-border bg-card px-4 py-3 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <span aria-hidden className={`size-2 self-center rounded-full ${look}`} />
        <h2 className="font-medium">{name}</h2>
        <span className="text-xs">{words}</span>
        <span className="min-w-0 font-mono text-xs break-all text-muted-foreground">
          <ShownText text={at} />
        </span>
        <span className="ms-auto text-xs text-muted-foreground">
          {[transport, era && ERAS[era], version].filter((each) => each !== undefined).join(' · ')}
        </span>
      </div>
      {lastError !== undefined && (
        <p className="rounded-md border border-destructive/40 bg-destructive/5 px-3 py-2 text-xs [overflow-wrap:anywhere]">
          <ShownText text={lastError} />
        </p>
      )}
      {tools
        .filter(({ changed }) => changed !== undefined)
        .map((tool) => (
          <Changed key={tool.tool} server={name} tool={tool} onAccepted={onAccepted} />
        ))}
      {tools.length > 0 && (
        <details>
          <summary className="text-xs text-muted-foreground">
            {tools.length === 1 ? 'one tool' : `${tools.length} tools`}
          </summary>
          <ul className="mt-2 grid gap-1.5">
            {tools.map((tool) => (
              <li key={tool.tool} className="[overflow-wrap:anywhere]">
                <code className="font-mono text-xs">{tool.name}</code>{' '}
                <span className="text-xs text-muted-foreground">
                  <ShownText text={tool.description} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {refused.length > 0 && (
        <ul aria-label="Tools that are not offered" className="grid gap-1 text-xs text-muted-foreground">
          {/* A server may have one name twice, which is why it is here. */}
          {refused.map((each, index) => (
            <li key={index}>
              <code className="font-mono">
                <ShownText text={each.name} />
              </code>{' '}
              is not offered: <ShownText text={each.why} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** What the model was told of the tool, and what the server would have it told now. */
function Changed({
  server,
  tool: { name, tool, changed, isNew },
  onAccepted,
}: {
  readonly server: string
  readonly tool: McpToolRow
  readonly onAccepted: () => void
}): ReactNode {
  const client = useClient()
  const [problem, setProblem] = useState<Error>()
  if (!changed) return null
  const accept = async (): Promise<void> => {
    setProblem(undefined)
    // Bound to what is shown here: should the server change it again, this says so.
    await client.mcp.accept(server, tool, changed.fingerprint).catch(setProblem)
    onAccepted()
  }
  return (
    <section
      aria-label={`${name} ${isNew ? 'is new' : 'was changed'}`}
      className="grid grid-cols-1 gap-2 rounded-md border border-held/40 bg-held-muted px-3 py-2"
    >
      <p>
        <code className="font-mono">{name}</code>{' '}
        {isNew
          ? 'is new: the server did not have it when its tools were first allowed. Every call is held.'
          : 'is not what was allowed any more. The model still reads the old definition, and every call is held.'}
      </p>
      <JsonChanges
        changes={changed.changes.map(({ field: path, before, after }) =>
          // A server leaves out what it does not say, so nothing was there before.
          before === null ? { path, kind: 'added', after } : { path, kind: 'changed', before, after },
        )}
      />
      <Button className="justify-self-start" onClick={() => void accept()}>
        {isNew ? 'Accept the tool' : 'Accept the change'}
      </Button>
      {problem && <Trouble error={problem} />}
    </section>
  )
}
