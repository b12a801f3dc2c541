import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { SpaceRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, ShownText } from '@holdpoint/ui'
import { addressOf, Empty, INPUT, Screen, ErrorNotice } from '../parts.tsx'
import { RowLink, Rows } from '../rows.tsx'
import { useSelfName } from '../space/self.ts'

export function SpacesScreen(): ReactNode {
  return (
    <Screen title="Spaces" note="People and agents talk in a space. A message wakes every agent in it.">
      <NewSpace />
      <Rows
        of="spaces"
        ask={(client, limit, signal) => client.spaces.list({ limit }, { signal })}
        empty={
          <Empty title="There are no spaces yet">
            Enter a name above, choose the agents, and post a message. The agents wake, and all members see their tool
            calls.
          </Empty>
        }
      >
        {(row) => <Row row={row} />}
      </Rows>
    </Screen>
  )
}

function Row({ row: { id, name, members, updatedAt } }: { readonly row: SpaceRow }): ReactNode {
  return (
    <RowLink to={addressOf.space(id)}>
      <span className="min-w-0 truncate font-medium">
        <ShownText text={name} />
      </span>
      <span className="text-end text-xs text-muted-foreground">
        <Ago at={updatedAt} />
      </span>
      <span className="min-w-0 truncate font-mono text-xs text-muted-foreground">
        <ShownText text={id} />
      </span>
      <span className="text-end text-xs text-muted-foreground">
        {members === 1 ? 'one member' : `${members} members`}
      </span>
    </RowLink>
  )
}

function NewSpace(): ReactNode {
  const client = useClient()
  const [, go] = useLocation()
  const by = useSelfName()
  const { value } = useWatched('agents', (from, signal) => from.agents.list({ limit: 200 }, { signal }))
  const [name, setName] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<Error>()
  const agents = value?.items ?? []
  const make = async (): Promise<void> => {
    const members = agents
      .filter((agent) => !left.has(agent.name))
      .map((agent) => ({ member: { kind: 'agent' as const, id: agent.name } }))
    const answer = await client.spaces.create({ name: name.trim(), by, members })
    if (answer.ok) go(addressOf.space(answer.id))
    else setProblem(new Error(answer.message))
  }
  const choose = (agent: string, is: boolean): void => {
    const next = new Set(left)
    if (is) next.delete(agent)
    else next.add(agent)
    setLeft(next)
  }
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void make().catch(setProblem)
      }}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <input
          aria-label="Name of the new space"
          className={`${INPUT} w-56`}
          placeholder="Name of a new space"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {agents.length > 0 && (
          <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <legend className="sr-only">Agents in the new space</legend>
            {agents.map((agent) => (
              <label key={agent.name} className="flex items-center gap-1.5">
                <input
                  type="checkbox"
                  className="accent-(--ring)"
                  checked={!left.has(agent.name)}
                  onChange={(event) => choose(agent.name, event.target.checked)}
                />
                {agent.name}
              </label>
            ))}
          </fieldset>
        )}
        <Button type="submit" look="strong" disabled={name.trim() === ''}>
          Create space
        </Button>
      </div>
      {problem && <ErrorNotice error={problem} />}
    </form>
  )
}
