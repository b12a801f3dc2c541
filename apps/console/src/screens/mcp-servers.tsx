/** The MCP servers that agents use: their state, their tools, and changes that wait to be accepted. */
import { useEffect, useState, type ReactNode } from 'react'
import type { McpServerRow, McpToolRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, JsonChanges, ShownText } from '@holdpoint/ui'
import { Empty, Screen, ErrorNotice } from '../parts.tsx'

/** A server that becomes unreachable writes no event, so the list is requested regularly. */
const POLL_MS = 10_000

export function McpServersScreen(): ReactNode {
  const { value, loading, error, refresh } = useWatched('mcp servers', (client, signal) =>
    client.mcp.servers({ signal }),
  )
  useEffect(() => {
    const timer = setInterval(refresh, POLL_MS)
    return () => clearInterval(timer)
  }, [refresh])
  const servers = value?.items ?? []
  return (
    <Screen
      title="MCP servers"
      note="Agents use the tools of these servers. If a server fails, only its own tools are unavailable."
    >
      {error && <ErrorNotice error={error} />}
      {!loading && !error && servers.length === 0 && (
        <Empty title="No MCP servers are configured">
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
  new: ['not connected yet', 'bg-muted-foreground/50'],
  ready: ['ready', 'bg-ok'],
  away: ['unreachable, retrying', 'bg-destructive'],
}

const ERAS = { modern: 'current protocol', legacy: 'older protocol' } as const

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
          {/* Two refused tools may have the same name, so the index is the key. */}
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

/** The definition that the model still sees, and the new definition that the server sends. */
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
    // The fingerprint is that of the definition shown here. If the server has changed it again, the gateway refuses.
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
          ? 'is new: the server added it after its tools were first allowed. Every call waits for approval.'
          : 'was changed by the server after it was allowed. The model still sees the old definition, and every call waits for approval.'}
      </p>
      <JsonChanges
        changes={changed.changes.map(({ field: path, before, after }) =>
          // JSON has no undefined: null means that the field was missing before.
          before === null ? { path, kind: 'added', after } : { path, kind: 'changed', before, after },
        )}
      />
      <Button className="justify-self-start" onClick={() => void accept()}>
        {isNew ? 'Accept the tool' : 'Accept the change'}
      </Button>
      {problem && <ErrorNotice error={problem} />}
    </section>
  )
}
