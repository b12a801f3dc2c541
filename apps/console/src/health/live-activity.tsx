/** The conversations that are running now, with what their agents write and which calls run, as it happens. */
import type { ReactNode } from 'react'
import type { ListedConversation, ViewMessage } from '@holdpoint/client'
import { useConversation, useWatched } from '@holdpoint/react'
import { ShownText, Ago } from '@holdpoint/ui'
import { addressOf, ErrorNotice, TextLink } from '../parts.tsx'

/** Each has a stream of its own. */
const FOLLOWED = 8

export function LiveActivity(): ReactNode {
  const { value, error } = useWatched('running now', (client, signal) =>
    client.conversations.list({ status: 'running', limit: 50 }, { signal }),
  )
  const running = value?.items ?? []
  const more = running.length - FOLLOWED
  return (
    <section aria-labelledby="running" className="grid gap-2">
      <h2 id="running" className="text-base font-semibold">
        Running now
      </h2>
      {error && <ErrorNotice error={error} />}
      {value && running.length === 0 && <p className="text-sm text-muted-foreground">No agent is at work.</p>}
      {running.length > 0 && (
        <ul className="divide-y divide-border rounded-lg border border-border bg-card text-sm">
          {running.slice(0, FOLLOWED).map((row) => (
            <li key={row.id} className="px-4 py-2.5">
              <Running row={row} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 && (
        <p className="text-xs text-muted-foreground">
          {more} more{value?.next === undefined ? '' : ' at least'}:{' '}
          <TextLink to="/conversations">conversations</TextLink>.
        </p>
      )}
    </section>
  )
}

const TAIL = 160

function textOf(message: Extract<ViewMessage, { readonly role: 'assistant' }> | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function Running({ row: { id, agent, firstMessage, updatedAt } }: { readonly row: ListedConversation }): ReactNode {
  const text = useConversation(id, ({ streaming }) => textOf(streaming))
  const calls = useConversation(id, (state) =>
    state.calls
      .filter(({ state: is }) => is === 'running')
      .map(({ name }) => name)
      .join(', '),
  )
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <TextLink to={addressOf.conversation(id)} className="min-w-0 truncate">
          <ShownText text={firstMessage ?? id} />
        </TextLink>
        <span className="text-xs text-muted-foreground">{agent}</span>
        <span className="ms-auto text-xs text-muted-foreground">
          <Ago at={updatedAt} />
        </span>
      </div>
      <p className="text-xs [overflow-wrap:anywhere] text-muted-foreground" data-activity={id}>
        {calls === '' ? '' : `runs ${calls}. `}
        {text === '' ? calls === '' ? 'the model was asked' : '' : <ShownText text={text.slice(-TAIL)} />}
      </p>
    </div>
  )
}
