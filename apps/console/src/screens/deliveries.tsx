/** Messages to people and deliveries of webhooks: what was given up, is tried again, waits or arrived. For admins. */
import { useState, type ReactNode } from 'react'
import type { ChannelDeliveryRow, WebhookDeliveryRow, WebhookRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, ShownText, Until } from '@holdpoint/ui'
import { addressOf, Empty, ErrorNotice, Screen, TextLink } from '../parts.tsx'

const LIST = 'divide-y divide-border rounded-lg border border-border bg-card empty:hidden'

export function DeliveriesScreen(): ReactNode {
  return (
    <Screen title="Deliveries" note="Messages to people, and webhooks. They have ids and no content. Kept for 30 days.">
      <Messages />
      <Webhooks />
    </Screen>
  )
}

function Messages(): ReactNode {
  const client = useClient()
  const { value, loading, error, refresh } = useWatched('channel deliveries', (from, signal) =>
    from.channels.deliveries({ limit: 200 }, { signal }),
  )
  const items = value?.items ?? []
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">Messages to people</h2>
      {error && <ErrorNotice error={error} />}
      {!loading && !error && items.length === 0 && <Empty title="No message is open, and none was given up" />}
      <ul aria-label="Messages" className={LIST}>
        {items.map((row) => (
          <Message key={row.id} row={row} onReplay={() => void client.channels.replay(row.id).then(refresh, refresh)} />
        ))}
      </ul>
      {value?.next !== undefined && <p className="text-sm text-muted-foreground">Only 200 messages are shown.</p>}
    </section>
  )
}

function Message({ row, onReplay }: { readonly row: ChannelDeliveryRow; readonly onReplay: () => void }): ReactNode {
  const { channel, person = '', conversationId, callId, state, attempts, nextAt, error } = row
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <State word={state} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {channel} to <ShownText text={person} />
      </span>
      {conversationId !== undefined && callId !== undefined && (
        <TextLink to={addressOf.hold(conversationId, callId)}>the hold</TextLink>
      )}
      {conversationId === undefined && <span className="text-muted-foreground">a digest</span>}
      <Tries attempts={attempts} nextAt={state === 'shown' ? undefined : nextAt} error={error} />
      {state !== 'shown' && (
        <Button small className="ms-auto" onClick={onReplay}>
          Try now
        </Button>
      )}
    </li>
  )
}

function Webhooks(): ReactNode {
  const { value, error } = useWatched('webhooks', (from, signal) => from.webhooks.list({ signal }))
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">Webhooks</h2>
      {error && <ErrorNotice error={error} />}
      {value?.items.length === 0 && <Empty title="There is no webhook" />}
      {value?.items.map((row) => (
        <Webhook key={row.id} row={row} />
      ))}
    </section>
  )
}

function Webhook({ row: { id, url, events } }: { readonly row: WebhookRow }): ReactNode {
  const client = useClient()
  const { value, error, refresh } = useWatched(`deliveries of ${id}`, (from, signal) =>
    from.webhooks.deliveries(id, { limit: 50 }, { signal }),
  )
  const [secret, setSecret] = useState<string>()
  const [sure, setSure] = useState(false)
  const rotate = (): void => {
    if (!sure) return setSure(true)
    setSure(false)
    void client.webhooks.rotate(id).then((made) => setSecret(made.secret))
  }
  return (
    <article aria-label={url} className="grid gap-2">
      <header className="flex flex-wrap items-center gap-3 text-sm">
        <code className="min-w-0 font-mono [overflow-wrap:anywhere]">{url}</code>
        <span className="text-xs text-muted-foreground">{events?.join(', ') ?? 'every event'}</span>
        <Button small className="ms-auto" onClick={rotate} onBlur={() => setSure(false)}>
          {sure ? 'Really make a new secret' : 'New secret'}
        </Button>
      </header>
      {secret !== undefined && (
        <div role="status" className="grid gap-1 rounded-md border border-ok/40 bg-ok-muted px-3 py-2 text-sm">
          <span>This secret is shown only once. For a day, requests are signed with the old one too.</span>
          <code className="font-mono break-all select-all">{secret}</code>
        </div>
      )}
      {error && <ErrorNotice error={error} />}
      <ul aria-label="Deliveries" className={LIST}>
        {(value?.items ?? []).map((row) => (
          <Delivery
            key={row.id}
            row={row}
            onReplay={() => void client.webhooks.replay(id, row.id).then(refresh, refresh)}
          />
        ))}
      </ul>
    </article>
  )
}

function Delivery({ row, onReplay }: { readonly row: WebhookDeliveryRow; readonly onReplay: () => void }): ReactNode {
  const { type, at, status, attempts, nextAt } = row
  const last = attempts.at(-1)
  const error = last?.error ?? (last?.status === undefined || last.status < 300 ? undefined : `status ${last.status}`)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <State word={status} />
      <code className="font-mono">{type}</code>
      <span className="text-xs text-muted-foreground">
        <Ago at={at} />
      </span>
      <Tries attempts={attempts.length} nextAt={nextAt} error={error} />
      <Button small className="ms-auto" onClick={onReplay}>
        Send again
      </Button>
    </li>
  )
}

function State({ word }: { readonly word: ChannelDeliveryRow['state'] | WebhookDeliveryRow['status'] }): ReactNode {
  const look = word === 'failed' ? 'text-destructive' : word === 'retrying' || word === 'pending' ? 'text-held' : ''
  return <span className={`w-20 shrink-0 text-xs ${look === '' ? 'text-muted-foreground' : look}`}>{word}</span>
}

function Tries({
  attempts,
  nextAt,
  error,
}: {
  readonly attempts: number
  readonly nextAt: number | undefined
  readonly error: string | undefined
}): ReactNode {
  return (
    <span className="min-w-0 text-xs [overflow-wrap:anywhere] text-muted-foreground">
      {attempts > 0 && `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
      {nextAt !== undefined && (
        <>
          {' · next '}
          <Until at={nextAt} />
        </>
      )}
      {error !== undefined && (
        <>
          {' · '}
          <ShownText text={error} />
        </>
      )}
    </span>
  )
}
