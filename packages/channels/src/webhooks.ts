/**
 * Webhooks by the Standard Webhooks specification. An endpoint is told of events of its tenant, at least once, with the same
 * `webhook-id` each time. A payload has ids and facts and no content: the receiver asks the API for the rest, with its own
 * rights.
 */
import { randomBytes } from 'node:crypto'
import { HoldpointError, type Json, type Store } from 'holdpoint'
import type { NewsItem } from '@holdpoint/runtime'
import { Webhook } from 'standardwebhooks'
import type { ChannelEvent } from './channel-event.ts'
import { EVENT_TYPES, type EventType } from './channel-event.ts'
import type { Task, TaskResult } from './tasks.ts'

export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  /** Default: every event. */
  readonly events?: readonly EventType[]
  readonly createdAt: number
}

interface StoredEndpoint extends WebhookEndpoint {
  /** The newest first. An older one still signs until its time, so that receivers can change over. */
  readonly secrets: readonly { readonly secret: string; readonly until?: number }[]
}

export interface WebhookDelivery {
  readonly id: string
  readonly endpoint: string
  readonly type: EventType
  /** When the event happened. */
  readonly at: number
  readonly status: 'pending' | 'delivered' | 'failed'
  /** The newest attempts, oldest first. */
  readonly attempts: readonly { readonly at: number; readonly status?: number; readonly error?: string }[]
}

interface StoredDelivery extends WebhookDelivery {
  readonly body: string
}

export interface WebhookPorts {
  readonly store: Store
  readonly now: () => number
  /** Refuses addresses in the operator's network: tenants choose the URLs. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

const ENDPOINT = 'channels.webhook'
const DELIVERY = 'channels.delivery'
const MOST_ENDPOINTS = 50
const KEPT_MS = 30 * 86_400_000
const SHOWN_ATTEMPTS = 12
const OLD_SECRET_MS = 86_400_000
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
/** The waits that the specification recommends: about three days in all. */
const WAITS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

export function webhookRetryAfter(failures: number): number | undefined {
  return WAITS[failures - 1]
}

export class Webhooks {
  readonly #ports: WebhookPorts

  constructor(ports: WebhookPorts) {
    this.#ports = ports
  }

  /** The secret is returned once. */
  async create(
    tenant: string,
    { url, events }: Pick<WebhookEndpoint, 'url' | 'events'>,
  ): Promise<WebhookEndpoint & { readonly secret: string }> {
    checkUrl(url)
    for (const type of events ?? [])
      if (!EVENT_TYPES.includes(type))
        throw new HoldpointError('config-invalid', `There is no event "${type}". There are ${EVENT_TYPES.join(', ')}.`)
    if ((await this.list(tenant)).length >= MOST_ENDPOINTS)
      throw new HoldpointError('config-invalid', `A tenant has at most ${MOST_ENDPOINTS} webhooks.`)
    const secret = newSecret()
    const id = `wh_${randomBytes(9).toString('base64url')}`
    const row: StoredEndpoint = {
      id,
      url,
      ...(events && { events }),
      createdAt: this.#ports.now(),
      secrets: [{ secret }],
    }
    await this.#ports.store.put({ tenant, kind: ENDPOINT, id, expected: 0, data: row as unknown as Json })
    return { ...shownEndpoint(row), secret }
  }

  async list(tenant: string): Promise<readonly WebhookEndpoint[]> {
    return (await this.#endpoints(tenant)).map(shownEndpoint)
  }

  /** False when there is none. */
  async remove(tenant: string, id: string): Promise<boolean> {
    if (!(await this.#find(tenant, id))) return false
    await this.#ports.store.put({ tenant, kind: ENDPOINT, id, data: undefined })
    return true
  }

  /** A new secret. For a day, messages are signed with the old one too. Undefined when there is no such endpoint. */
  async rotate(tenant: string, id: string): Promise<string | undefined> {
    const { store, now } = this.#ports
    for (;;) {
      const doc = await store.get(tenant, ENDPOINT, id)
      if (!doc) return undefined
      const row = doc.data as unknown as StoredEndpoint
      const secret = newSecret()
      const old = validSecrets(row, now()).map((each) => ({
        secret: each.secret,
        until: each.until ?? now() + OLD_SECRET_MS,
      }))
      const data = { ...row, secrets: [{ secret }, ...old] } as unknown as Json
      const put = await store.put({ tenant, kind: ENDPOINT, id, expected: doc.version, data })
      if (put.result === 'ok') return secret
    }
  }

  /** Newest first within a page. */
  async deliveries(
    tenant: string,
    endpoint: string,
    after?: string,
    limit = 50,
  ): Promise<{ readonly items: readonly WebhookDelivery[]; readonly next: string | undefined }> {
    const query = { tenant, kind: DELIVERY, prefix: `${endpoint}/`, limit, ...(after !== undefined && { after }) }
    const { items, next } = await this.#ports.store.documents(query)
    return { items: items.map(({ data }) => shownDelivery(data as unknown as StoredDelivery)), next }
  }

  /** The task that sends a delivery again, with the same `webhook-id`. Undefined when there is no such delivery. */
  async replay(tenant: string, id: string): Promise<Task | undefined> {
    const found = await this.#delivery(tenant, id)
    if (!found || !(await this.#find(tenant, found.endpoint))) return undefined
    await this.#write(tenant, { ...found, status: 'pending' })
    return taskOf(tenant, found)
  }

  /** Writes the deliveries of an event, and returns their tasks. The same event again changes no delivery. */
  async tasksFor(item: NewsItem, event: ChannelEvent): Promise<readonly Task[]> {
    const { tenant } = item
    const endpoints = await this.#endpoints(tenant)
    const wanted = endpoints.filter(({ events }) => !events || events.includes(event.type))
    const tasks: Task[] = []
    for (const { id: endpoint } of wanted) {
      const id = `${endpoint}/${idAt(item)}`
      const body = JSON.stringify(event)
      const made: StoredDelivery = {
        id,
        endpoint,
        type: event.type,
        at: item.at,
        status: 'pending',
        attempts: [],
        body,
      }
      const put = await this.#write(tenant, made, 0)
      if (put || (await this.#delivery(tenant, id))?.status === 'pending') tasks.push(taskOf(tenant, made))
    }
    return tasks
  }

  async work(tenant: string, id: string, signal: AbortSignal, isLast: boolean): Promise<TaskResult> {
    const delivery = await this.#delivery(tenant, id)
    const endpoint = delivery && (await this.#find(tenant, delivery.endpoint))
    if (!delivery || !endpoint || delivery.status !== 'pending') return { done: true }
    const at = this.#ports.now()
    const result = await this.#post(endpoint, delivery, signal)
    const attempts = [...delivery.attempts, { at, ...result }].slice(-SHOWN_ATTEMPTS)
    const ok = result.status !== undefined && result.status >= 200 && result.status < 300
    // The receiver says that it is gone for good.
    const over = result.status === 410 || isLast
    await this.#write(tenant, { ...delivery, attempts, status: ok ? 'delivered' : over ? 'failed' : 'pending' })
    if (ok || over) return { done: true }
    return { failed: new Error(`Webhook ${endpoint.id}: ${result.error ?? `status ${result.status}`}.`) }
  }

  async #post(
    endpoint: StoredEndpoint,
    { id, body }: StoredDelivery,
    signal: AbortSignal,
  ): Promise<{ readonly status?: number; readonly error?: string }> {
    const at = new Date(this.#ports.now())
    const messageId = `msg_${Buffer.from(id).toString('base64url')}`
    const signatures = validSecrets(endpoint, at.getTime()).map(({ secret }) =>
      new Webhook(secret).sign(messageId, at, body),
    )
    const headers = {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    }
    try {
      const answer = await this.#ports.fetch(endpoint.url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal,
      })
      await answer.body?.cancel()
      return { status: answer.status }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) }
    }
  }

  async #endpoints(tenant: string): Promise<readonly StoredEndpoint[]> {
    const { items } = await this.#ports.store.documents({ tenant, kind: ENDPOINT, limit: MOST_ENDPOINTS })
    return items.map(({ data }) => data as unknown as StoredEndpoint)
  }

  async #find(tenant: string, id: string): Promise<StoredEndpoint | undefined> {
    const doc = await this.#ports.store.get(tenant, ENDPOINT, id)
    return doc && (doc.data as unknown as StoredEndpoint)
  }

  async #delivery(tenant: string, id: string): Promise<StoredDelivery | undefined> {
    const doc = await this.#ports.store.get(tenant, DELIVERY, id)
    return doc && (doc.data as unknown as StoredDelivery)
  }

  async #write(tenant: string, row: StoredDelivery, expected?: number): Promise<boolean> {
    const put = { tenant, kind: DELIVERY, id: row.id, data: row as unknown as Json, ttlMs: KEPT_MS }
    const written = await this.#ports.store.put({ ...put, ...(expected !== undefined && { expected }) })
    return written.result === 'ok'
  }
}

/** The newest first: ids sort upwards. */
const END_OF_TIME = 9e15

function idAt({ at, id }: NewsItem): string {
  return `${END_OF_TIME - at}/${id.slice(id.indexOf('/') + 1)}`
}

function taskOf(tenant: string, { id, endpoint }: StoredDelivery): Task {
  return {
    id: `webhook/${encodeURIComponent(tenant)}/${id}`,
    group: `webhook ${encodeURIComponent(tenant)} ${endpoint}`,
    what: { webhook: { tenant, id } },
  }
}

function validSecrets({ secrets }: StoredEndpoint, now: number): StoredEndpoint['secrets'] {
  return secrets.filter(({ until = Infinity }) => now < until)
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

function shownEndpoint({ secrets: _secrets, ...shown }: StoredEndpoint): WebhookEndpoint {
  return shown
}

function shownDelivery({ body: _body, ...shown }: StoredDelivery): WebhookDelivery {
  return shown
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '') return
  throw new HoldpointError('config-invalid', 'The URL of a webhook must be an http(s) address without a password.')
}
