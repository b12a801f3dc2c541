/** A space: people and agents talk, and the calls that agents make are shown where they are made. */
import { useEffect, useState, type ReactNode } from 'react'
import type { SpaceView, ToolMessage } from '@holdpoint/client'
import { useClient, useSpace, type SpaceState } from '@holdpoint/react'
import { Button, ComposerField, ShownText, SpaceMessages } from '@holdpoint/ui'
import { addressOf, Empty, Screen, TextLink, Trouble, useTitle } from '../parts.tsx'
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
        {connection.state === 'stopped' && <Trouble error={connection.error} />}
        <Empty title="There is nothing to see here">
          There may be no such space, or it is not for you, or the gateway cannot be reached.{' '}
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
          <AtWork active={view.active} />
          {connection.state === 'waiting' && <span className="text-xs text-held">offline, trying again</span>}
          <details className="group w-full lg:hidden">
            <summary className="text-xs text-muted-foreground">{membersWords(view)}</summary>
            <div className="max-h-[45dvh] overflow-y-auto py-3">
              <Members id={id} view={view} self={self} />
            </div>
          </details>
        </header>
        <SpaceMessages spaceId={id} by={self.member.id} originOf={lifeOf} empty={NOTHING_SAID} />
        {view.quiet && <Quiet />}
        {loaded && <Say space={space} self={self} />}
      </div>
      <aside
        aria-label="Who is here"
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
    Nothing was said yet. What you say below wakes every agent in this space.
  </p>
)

function lifeOf({ agent }: ToolMessage): ReactNode {
  return (
    <span>
      in <TextLink to={addressOf.timeline(`agent:${agent}`)}>the life of {agent}</TextLink>
    </span>
  )
}

function membersWords({ members }: SpaceView): string {
  const agents = members.filter(({ member }) => member.kind === 'agent').length
  const people = members.length - agents
  return `${people} ${people === 1 ? 'person' : 'people'}, ${agents} ${agents === 1 ? 'agent' : 'agents'}`
}

function AtWork({ active }: { readonly active: readonly string[] }): ReactNode {
  return (
    <span role="status" className="text-xs text-muted-foreground">
      {active.length > 0 && `${active.join(' and ')} at work`}
    </span>
  )
}

/** Agents do not talk among themselves for ever. */
function Quiet(): ReactNode {
  return (
    <p
      role="status"
      className="mx-auto mb-2 w-full max-w-3xl rounded-md border border-held/40 bg-held-muted px-3 py-2 text-sm"
    >
      <b className="font-medium">Quiet.</b> The agents have talked among themselves for as long as they may, so what
      they say wakes nobody any more. Say something, and they go on.
    </p>
  )
}

function Say({ space, self: { member, entry } }: { readonly space: SpaceState; readonly self: Self }): ReactNode {
  const client = useClient()
  const [problem, setProblem] = useState<Error>()
  if (entry && entry.role !== 'reader')
    return (
      <ComposerField
        placeholder={`Say something as ${member.id}`}
        onSend={(text) => space.post(text, { from: member })}
      />
    )
  const join = async (): Promise<void> => {
    const told = await client.spaces.join(space.id, member)
    setProblem(told.ok ? undefined : new Error(told.message))
  }
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-2 px-4 pb-4">
      {problem && <Trouble error={problem} />}
      <p className="flex flex-wrap items-center gap-3 text-sm text-muted-foreground">
        {entry ? 'You may read here, and not speak.' : `${member.id} is not in this space.`}
        {!entry && <Button onClick={() => void join().catch(setProblem)}>Join as {member.id}</Button>}
        <TextLink to="/settings">Change your name</TextLink>
      </p>
    </div>
  )
}

/** What is on a screen that somebody looks at was read. */
function useRead({ view: { messages }, read }: SpaceState, { member: { id }, entry }: Self): void {
  const last = messages.at(-1)?.seq ?? 0
  const known = entry?.read
  useEffect(() => {
    if (known === undefined || known >= last) return undefined
    const mark = (): void => {
      // It is said again with the next message, should it be lost.
      if (!document.hidden) void read(last, { member: { kind: 'human', id } }).catch(() => undefined)
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [known, last, read, id])
}
