/** Who is in a space: their roles, which agents are at work, and how far people have read. */
import { useState, type ReactNode } from 'react'
import type { SpaceMember, SpaceView } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, ShownText } from '@holdpoint/ui'
import { addressOf, INPUT, TextLink, Trouble } from '../parts.tsx'

export function Members({ id, view }: { readonly id: string; readonly view: SpaceView }): ReactNode {
  const { members, active, messages } = view
  return (
    <div className="grid gap-4">
      <ul aria-label="Members" className="grid gap-2.5 text-sm">
        {members.map((each) => (
          <li key={`${each.member.kind} ${each.member.id}`} className="flex items-baseline gap-2">
            <Dot member={each} active={active} />
            <span className="grid min-w-0">
              <span className="truncate font-medium">
                {each.member.kind === 'agent' ? (
                  <TextLink to={addressOf.agent(each.member.id)}>{each.member.id}</TextLink>
                ) : (
                  <ShownText text={each.member.id} />
                )}
              </span>
              <span className="text-xs text-muted-foreground">{aboutOf(each, active, messages)}</span>
            </span>
          </li>
        ))}
      </ul>
      <LetIn id={id} members={members} />
    </div>
  )
}

function aboutOf(
  { member: { kind, id }, role, read }: SpaceMember,
  active: readonly string[],
  messages: SpaceView['messages'],
): string {
  if (kind === 'agent') return `agent, ${role} · ${active.includes(id) ? 'at work here' : 'asleep'}`
  const unread = messages.filter(({ kind: what, seq }) => what === 'message' && seq > read).length
  return `person, ${role} · ${unread === 0 ? 'has read everything' : `${unread} unread`}`
}

function Dot({
  member: { member },
  active,
}: {
  readonly member: SpaceMember
  readonly active: readonly string[]
}): ReactNode {
  const busy = member.kind === 'agent' && active.includes(member.id)
  const look = busy ? 'animate-pulse bg-ok motion-reduce:animate-none' : 'bg-muted-foreground/40'
  return <span aria-hidden className={`size-2 shrink-0 rounded-full ${look}`} />
}

/** Agents that are not here yet. */
function LetIn({ id, members }: { readonly id: string; readonly members: SpaceView['members'] }): ReactNode {
  const client = useClient()
  const { value } = useWatched('agents', (from, signal) => from.agents.list({ limit: 200 }, { signal }))
  const [chosen, setChosen] = useState('')
  const [problem, setProblem] = useState<Error>()
  const others = (value?.items ?? []).filter(
    ({ name }) => !members.some(({ member }) => member.kind === 'agent' && member.id === name),
  )
  const agent = others.some(({ name }) => name === chosen) ? chosen : others[0]?.name
  if (agent === undefined) return null
  const letIn = async (): Promise<void> => {
    const told = await client.spaces.join(id, { kind: 'agent', id: agent })
    setProblem(told.ok ? undefined : new Error(told.message))
  }
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <select
          aria-label="Agent to let in"
          className={`${INPUT} min-w-0`}
          value={agent}
          onChange={(event) => setChosen(event.target.value)}
        >
          {others.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Button onClick={() => void letIn().catch(setProblem)}>Let in</Button>
      </div>
      {problem && <Trouble error={problem} />}
    </div>
  )
}
