/** One agent, and a table of its tools by executor and approval. */
import { useState, type ReactNode } from 'react'
import type { AgentRow, Json, JsonObject, ToolRow } from '@holdpoint/client'
import { useWatched } from '@holdpoint/react'
import { JsonValue, spanOf } from '@holdpoint/ui'
import { AgentHeader } from '../agent-header.tsx'
import { Empty, Screen, TextLink, ErrorNotice } from '../parts.tsx'

const EXECUTORS: readonly (readonly [ToolRow['executor'], string])[] = [
  ['server', 'this server'],
  ['human', 'a person'],
  ['client', 'the user’s browser'],
  ['external', 'a worker'],
  ['provider', 'the model vendor'],
]

export function AgentScreen({ name }: { readonly name: string }): ReactNode {
  const { value, loading, error } = useWatched(`agent ${name}`, async (client, signal) => ({
    agent: await client.agents.show(name, { signal }),
  }))
  const agent = value?.agent
  if (!loading && !agent)
    return (
      <Screen title={name}>
        {error ? (
          <ErrorNotice error={error} />
        ) : (
          <Empty title="This agent does not exist">
            <TextLink to="/agents">All agents</TextLink>
          </Empty>
        )}
      </Screen>
    )
  return (
    <Screen title={name} wide note={agent?.instructions} actions={<AgentHeader name={name} here="tools" />}>
      {agent && (
        <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
          <Fact name="Model">{modelOf(agent)}</Fact>
          <Fact name="Defined">
            {agent.source === 'code' ? 'in the program' : `over HTTP, version ${agent.version ?? 1}`}
          </Fact>
          <Fact name="Requests to the model">{agent.audited ? 'recorded' : 'not recorded'}</Fact>
          {serversOf(agent).length > 0 && (
            <Fact name="MCP servers">
              <TextLink to="/mcp-servers">{serversOf(agent).join(', ')}</TextLink>
            </Fact>
          )}
        </dl>
      )}
      {agent?.tools && <Tools tools={agent.tools} />}
      {agent?.config && <Config config={agent.config} />}
    </Screen>
  )
}

/** The id of the model. For an agent made over HTTP, the name in its definition. */
export function modelOf({ model, config }: AgentRow): string {
  return model ?? (typeof config?.['model'] === 'string' ? config['model'] : 'the default')
}

function serversOf({ config }: AgentRow): readonly string[] {
  const servers = config?.['mcpServers']
  if (!Array.isArray(servers)) return []
  return (servers as readonly Json[]).flatMap((each) =>
    typeof each === 'object' && each !== null && 'name' in each && typeof each.name === 'string' ? [each.name] : [],
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Tools({ tools }: { readonly tools: readonly ToolRow[] }): ReactNode {
  const [open, setOpen] = useState<string>()
  const chosen = tools.find(({ name }) => name === open)
  if (tools.length === 0) return <Empty title="This agent has no tools">It can only write messages.</Empty>
  return (
    <section aria-labelledby="tools" className="grid gap-3">
      <h2 id="tools" className="text-base font-semibold">
        Tools
      </h2>
      <div className="overflow-x-auto rounded-lg border border-border bg-card">
        <table className="w-full border-collapse text-sm">
          <caption className="sr-only">Tools by executor and approval</caption>
          <thead>
            <tr className="text-start text-xs text-muted-foreground">
              <th scope="col" className="px-4 py-2 text-start font-normal max-sm:px-2">
                run by
              </th>
              <th scope="col" className="w-2/5 px-4 py-2 text-start font-normal max-sm:px-2">
                no approval needed
              </th>
              <th scope="col" className="w-2/5 px-4 py-2 text-start font-normal max-sm:px-2">
                may need approval
              </th>
            </tr>
          </thead>
          <tbody>
            {EXECUTORS.map(([executor, words]) => (
              <tr key={executor} className="border-t border-border align-top">
                <th scope="row" className="px-4 py-2.5 text-start font-normal max-sm:px-2 sm:whitespace-nowrap">
                  {words} <span className="block font-mono text-xs text-muted-foreground">{executor}</span>
                </th>
                {(['auto', 'gated'] as const).map((approval) => (
                  <td
                    key={approval}
                    className={`px-4 py-2.5 max-sm:px-2 ${approval === 'gated' ? 'bg-held-muted/50' : ''}`}
                  >
                    <Cell
                      tools={tools.filter((tool) => tool.executor === executor && tool.approval === approval)}
                      open={open}
                      onOpen={(name) => setOpen(open === name ? undefined : name)}
                      possible={approval === 'auto' || !['human', 'provider'].includes(executor)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {chosen ? (
        <Tool tool={chosen} />
      ) : (
        <p className="text-xs text-muted-foreground">Choose a tool to see its input and its time limit.</p>
      )}
    </section>
  )
}

function Cell({
  tools,
  open,
  onOpen,
  possible,
}: {
  readonly tools: readonly ToolRow[]
  readonly open: string | undefined
  readonly onOpen: (name: string) => void
  readonly possible: boolean
}): ReactNode {
  if (!possible) return <span className="text-xs text-muted-foreground">not possible</span>
  return (
    <span className="flex flex-wrap gap-1.5">
      {tools.map(({ name }) => (
        <button
          key={name}
          type="button"
          aria-expanded={open === name}
          onClick={() => onOpen(name)}
          className="rounded-sm border border-border bg-background px-1.5 py-0.5 text-start font-mono text-xs break-all outline-none hover:border-input focus-visible:ring-2 focus-visible:ring-ring aria-expanded:border-ring"
        >
          {name}
        </button>
      ))}
    </span>
  )
}

function Tool({
  tool: { name, description, timeoutMs, async, streaming, visible, input },
}: {
  readonly tool: ToolRow
}): ReactNode {
  const facts = [
    `time limit ${spanOf(timeoutMs)}`,
    async && 'async: the model does not wait for the result',
    streaming && 'reports progress',
    !visible && 'its calls are not shown to people',
  ]
  return (
    <div
      role="region"
      aria-label={name}
      className="grid gap-2 rounded-lg border border-border bg-card px-4 py-3 text-sm"
    >
      <p>
        <code className="font-mono">{name}</code> <span className="text-muted-foreground">{description}</span>
      </p>
      <p className="text-xs text-muted-foreground">{facts.filter((fact) => fact !== false).join(' · ')}</p>
      <details>
        <summary className="text-xs text-muted-foreground">Input, as JSON Schema</summary>
        <div className="mt-2">
          <JsonValue value={input} />
        </div>
      </details>
    </div>
  )
}

/** The definition, in the form that `PUT /api/agents` accepts. */
function Config({ config }: { readonly config: JsonObject }): ReactNode {
  return (
    <details className="rounded-lg border border-border bg-card text-sm">
      <summary className="rounded-lg px-4 py-2.5 outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring">
        Definition, as JSON
      </summary>
      <div className="border-t border-border px-4 py-3">
        <JsonValue value={config} />
      </div>
    </details>
  )
}
