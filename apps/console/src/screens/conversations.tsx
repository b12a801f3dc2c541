import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { ListedConversation } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, ShownText } from '@holdpoint/ui'
import { addressOf, Empty, INPUT, Screen, Status, TextLink, ErrorNotice } from '../parts.tsx'
import { RowLink, Rows } from '../rows.tsx'
import { hasTour } from '../has-tour.ts'

const STATUSES = ['held', 'running', 'idle'] as const
type Filter = { readonly status?: ListedConversation['status']; readonly agent?: string }

export function ConversationsScreen(): ReactNode {
  const [filter, setFilter] = useState<Filter>({})
  const filtered = Object.keys(filter).length > 0
  return (
    <Screen
      title="Conversations"
      actions={
        <>
          <TextLink to="/search" className="text-sm">
            Search
          </TextLink>
          <TextLink to="/replay" className="text-sm">
            Replay
          </TextLink>
          <NewConversation />
        </>
      }
    >
      <div role="group" aria-label="Status" className="flex flex-wrap gap-1.5">
        {[undefined, ...STATUSES].map((status) => (
          <Button
            key={status ?? 'all'}
            small
            look={filter.status === status ? 'strong' : 'plain'}
            aria-pressed={filter.status === status}
            onClick={() => setFilter(status === undefined ? {} : { status })}
          >
            {status === undefined ? 'all' : status === 'held' ? 'waiting' : status}
          </Button>
        ))}
      </div>
      <Rows
        of={`conversations ${JSON.stringify(filter)}`}
        ask={(client, limit, signal) => client.conversations.list({ ...filter, limit }, { signal })}
        empty={
          <Empty title={filtered ? 'No conversation has this status' : 'No conversations yet'}>
            {filtered ? (
              'Choose another filter.'
            ) : (
              <>
                Start one above
                {hasTour && (
                  <>
                    , or take <TextLink to="/">the tour</TextLink>
                  </>
                )}
                .
              </>
            )}
          </Empty>
        }
      >
        {(row) => <Row row={row} />}
      </Rows>
    </Screen>
  )
}

function Row({ row: { id, agent, status, updatedAt, firstMessage } }: { readonly row: ListedConversation }): ReactNode {
  return (
    <RowLink to={addressOf.conversation(id)}>
      <span className="truncate font-medium">
        <ShownText text={firstMessage ?? (id === `agent:${agent}` ? `Autonomous agent ${agent}` : 'No messages yet')} />
      </span>
      <span className="justify-self-end">
        <Status status={status} />
      </span>
      <span className="truncate text-xs text-muted-foreground">
        {agent} ·{' '}
        <code className="font-mono">
          <ShownText text={id} />
        </code>
      </span>
      <span className="justify-self-end text-xs text-muted-foreground">
        <Ago at={updatedAt} />
      </span>
    </RowLink>
  )
}

/** Creates an empty conversation and opens it. */
function NewConversation(): ReactNode {
  const client = useClient()
  const [, go] = useLocation()
  const { value } = useWatched('agents', (from, signal) => from.agents.list({ limit: 200 }, { signal }))
  const agents = value?.items ?? []
  const [chosen, setChosen] = useState('')
  const [problem, setProblem] = useState<Error>()
  const agent = chosen === '' ? agents[0]?.name : chosen
  if (agent === undefined) return null
  const make = async (): Promise<void> => {
    const { id } = await client.conversations.create({ agent })
    go(addressOf.conversation(id))
  }
  return (
    <>
      {agents.length > 1 && (
        <select
          aria-label="Agent of the new conversation"
          className={INPUT}
          value={agent}
          onChange={(event) => setChosen(event.target.value)}
        >
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <Button look="strong" onClick={() => void make().catch(setProblem)}>
        New conversation
      </Button>
      {problem && <ErrorNotice error={problem} />}
    </>
  )
}
