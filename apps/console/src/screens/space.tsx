/** A space: messages of people and agents, and the visible calls of agents. */
import { useEffect, useState, type ReactNode } from 'react'
import type { SpaceView, ToolMessage } from '@holdpoint/client'
import { useClient, useSpace, type SpaceState } from '@holdpoint/react'
import { Button, ComposerField, ShownText, SpaceMessages } from '@holdpoint/ui'
import { addressOf, Empty, Screen, TextLink, ErrorNotice, useTitle } from '../parts.tsx'
import { Members } from '../space/members.tsx'
import { useSelf, type Self } from '../space/self.ts'

export function SpaceScreen({ id }: { readonly id: string }): ReactNode {
  const space = useSpace(id)
  const { view, connection, loaded } = space
  const self = useSelf(view)
  useTitle(loaded ? view.name : 'Space')
  useRead(space, self)
  if (!loaded && (connection.state === 'stopped' || connection.state === 'waiting'))
    return (
      <Screen title="Space">
        {connection.state === 'stopped' && <ErrorNotice error={connection.error} />}
        <Empty title="This space cannot be shown">
          It does not exist, you have no access to it, or the gateway cannot be reached.{' '}
          <TextLink to="/spaces">All spaces</TextLink>
        </Empty>
      </Screen>
    )
  return (
    <div className="grid h-full min-h-0 lg:grid-cols-[1fr_16rem]">
      <div className="flex h-full min-h-0 min-w-0 flex-col" data-live={connection.state}>
        <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-border px-4 py-2.5 sm:px-6">
          <h1 className="min-w-0 truncate text-sm font-medium">
            <ShownText text={view.name} />
          </h1>
          <span className="font-mono text-xs text-muted-foreground">
            <ShownText text={id} />
          </span>
          <WorkingAgents active={view.active} />
          {connection.state === 'waiting' && <span className="text-xs text-held">offline, trying again</span>}
          <details className="group w-full lg:hidden">
            <summary className="text-xs text-muted-foreground">{membersWords(view)}</summary>
            <div className="max-h-[45dvh] overflow-y-auto py-3">
              <Members id={id} view={view} self={self} />
            </div>
          </details>
        </header>
        <SpaceMessages spaceId={id} by={self.member.id} originOf={lifeOf} empty={NOTHING_SAID} />
        {view.quiet && <QuietNotice />}
        {loaded && <SpaceComposer space={space} self={self} />}
      </div>
      <aside
        aria-label="Members of the space"
        className="min-h-0 overflow-y-auto border-s border-border px-5 py-4 max-lg:hidden"
      >
        <h2 className="mb-3 text-xs text-muted-foreground">{membersWords(view)}</h2>
        <Members id={id} view={view} self={self} />
      </aside>
    </div>
  )
}

const NOTHING_SAID = (
  <p className="py-16 text-center text-sm text-muted-foreground">
    No messages yet. A message that you post below wakes every agent in this space.
  </p>
)

function lifeOf({ agent }: ToolMessage): ReactNode {
  return (
    <span>
      in <TextLink to={addressOf.timeline(`agent:${agent}`)}>the conversation of {agent}</TextLink>
    </span>
  )
}

function membersWords({ members }: SpaceView): string {
  const agents = members.filter(({ member }) => member.kind === 'agent').length
  const people = members.length - agents
  return `${people} ${people === 1 ? 'person' : 'people'}, ${agents} ${agents === 1 ? 'agent' : 'agents'}`
}

function WorkingAgents({ active }: { readonly active: readonly string[] }): ReactNode {
  return (
    <span role="status" className="text-xs text-muted-foreground">
      {active.length > 0 && `${active.join(' and ')} ${active.length === 1 ? 'is' : 'are'} working`}
    </span>
  )
}

/** The space limits how often agents answer each other without a message from a person. */
function QuietNotice(): ReactNode {
  return (
    <p
      role="status"
      className="mx-auto mb-2 w-full max-w-3xl rounded-md border border-held/40 bg-held-muted px-3 py-2 text-sm"
    >
      <b className="font-medium">Quiet.</b> The agents have reached the limit of messages among themselves, so their
      messages no longer wake other agents. Post a message to let them continue.
    </p>
  )
}

function SpaceComposer({
  space,
  self: { member, entry },
}: {
  readonly space: SpaceState
  readonly self: Self
}): ReactNode {
  const client = useClient()
  const [problem, setProblem] = useState<Error>()
  if (entry && entry.role !== 'reader')
    return (
      <ComposerField
        placeholder={`Write a message as ${member.id}`}
        onSend={(text) => space.post(text, { from: member })}
      />
    )
  const join = async (): Promise<void> => {
    const answer = await client.spaces.join(space.id, member)
    setProblem(answer.ok ? undefined : new Error(answer.message))
  }
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-2 px-4 pb-4">
      {problem && <ErrorNotice error={problem} />}
      <p className="flex flex-wrap items-center gap-3 text-sm text-muted-foreground">
        {entry ? 'You can read this space, but not post in it.' : 'You are not a member of this space.'}
        {!entry && <Button onClick={() => void join().catch(setProblem)}>Join as {member.id}</Button>}
        <TextLink to="/settings">Change your name</TextLink>
      </p>
    </div>
  )
}

/** Marks the newest message as read while the page is visible. */
function useRead({ view: { messages }, read }: SpaceState, { member: { id }, entry }: Self): void {
  const last = messages.at(-1)?.seq ?? 0
  const known = entry?.read
  useEffect(() => {
    if (known === undefined || known >= last) return undefined
    const mark = (): void => {
      // A failure is harmless: the next message marks everything before it as read.
      if (!document.hidden) void read(last, { member: { kind: 'human', id } }).catch(() => undefined)
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [known, last, read, id])
}
