/** The members of a space: their roles, which agents are working, and how many messages each person has not read. */
import { useState, type ReactNode } from 'react'
import type { SpaceChanged, SpaceMember, SpaceView } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, asPlainText, ShownText } from '@holdpoint/ui'
import { addressOf, INPUT, TextLink, ErrorNotice } from '../parts.tsx'
import type { Self } from './self.ts'

export interface MembersProps {
  readonly id: string
  readonly view: SpaceView
  readonly self: Self
}

export function Members({ id, view, self }: MembersProps): ReactNode {
  const { members, active, messages } = view
  return (
    <div className="grid gap-4">
      <ul aria-label="Members" className="grid gap-2.5 text-sm">
        {members.map((entry) => (
          <li
            key={`${entry.member.kind} ${entry.member.id}`}
            className="grid grid-cols-[auto_1fr] items-baseline gap-x-2"
          >
            <Dot member={entry} active={active} />
            <span className="grid min-w-0">
              <span className="truncate font-medium">
                {entry.member.kind === 'agent' ? (
                  <TextLink to={addressOf.agent(entry.member.id)}>{entry.member.id}</TextLink>
                ) : (
                  <ShownText text={entry.member.id} />
                )}
              </span>
              <span className="text-xs text-muted-foreground">{aboutOf(entry, active, messages)}</span>
              <Manage id={id} entry={entry} self={self} />
            </span>
          </li>
        ))}
      </ul>
      <AddAgent id={id} members={members} self={self} />
    </div>
  )
}

function aboutOf(
  { member: { kind, id }, role, read }: SpaceMember,
  active: readonly string[],
  messages: SpaceView['messages'],
): string {
  if (kind === 'agent') return `agent, ${role} · ${active.includes(id) ? 'working here' : 'asleep'}`
  const unread = messages.filter((message) => message.kind === 'message' && message.seq > read).length
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

const ROLES = ['owner', 'member', 'reader'] as const

/** Changes a member's role or removes the member. The gateway decides whether this user may. */
function Manage({
  id,
  entry,
  self,
}: {
  readonly id: string
  readonly entry: SpaceMember
  readonly self: Self
}): ReactNode {
  const { member, role } = entry
  const { spaces } = useClient()
  const { busy, problem, change } = useChange()
  const isSelf = member.kind === 'human' && member.id === self.member.id
  const by = byOf(self)
  return (
    <details className="text-xs">
      <summary aria-label={`Change ${asPlainText(member.id)}`} className="w-fit cursor-pointer text-muted-foreground">
        change
      </summary>
      <div className="flex flex-wrap items-center gap-2 py-1.5">
        <select
          aria-label={`Role of ${asPlainText(member.id)}`}
          className={`${INPUT} h-7 text-xs`}
          value={role}
          disabled={busy}
          onChange={({ target }) => change(spaces.join(id, member, { role: target.value as typeof role, ...by }))}
        >
          {ROLES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Button
          small
          look="destructive"
          aria-label={`${isSelf ? 'Leave as' : 'Remove'} ${asPlainText(member.id)}`}
          disabled={busy}
          onClick={() => change(spaces.leave(id, member, isSelf ? { by: member.id } : by))}
        >
          {isSelf ? 'Leave' : 'Remove'}
        </Button>
      </div>
      {problem && <ErrorNotice error={problem} />}
    </details>
  )
}

/** An owner makes the change under their name. Any other user makes it with the rights of their key alone. */
function byOf({ member, entry }: Self): { readonly by?: string } {
  return entry?.role === 'owner' ? { by: member.id } : {}
}

interface Changing {
  readonly busy: boolean
  readonly problem: Error | undefined
  readonly change: (asking: Promise<SpaceChanged>) => void
}

function useChange(): Changing {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const change = (asking: Promise<SpaceChanged>): void => {
    setBusy(true)
    void asking
      .then((answer) => (answer.ok ? undefined : new Error(answer.message)))
      .catch((error: Error) => error)
      .then((wrong) => {
        setProblem(wrong)
        setBusy(false)
      })
  }
  return { busy, problem, change }
}

/** Adds an agent that is not a member yet. */
function AddAgent({
  id,
  members,
  self,
}: {
  readonly id: string
  readonly members: SpaceView['members']
  readonly self: Self
}): ReactNode {
  const client = useClient()
  const { value } = useWatched('agents', (from, signal) => from.agents.list({ limit: 200 }, { signal }))
  const [chosen, setChosen] = useState('')
  const { busy, problem, change } = useChange()
  const others = (value?.items ?? []).filter(
    ({ name }) => !members.some(({ member }) => member.kind === 'agent' && member.id === name),
  )
  const agent = others.some(({ name }) => name === chosen) ? chosen : others[0]?.name
  if (agent === undefined) return null
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <select
          aria-label="Agent to add"
          className={`${INPUT} min-w-0`}
          value={agent}
          onChange={(event) => setChosen(event.target.value)}
        >
          {others.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Button
          disabled={busy}
          onClick={() => change(client.spaces.join(id, { kind: 'agent', id: agent }, byOf(self)))}
        >
          Add
        </Button>
      </div>
      {problem && <ErrorNotice error={problem} />}
    </div>
  )
}
