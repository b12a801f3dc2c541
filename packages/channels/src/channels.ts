/**
 * Tells people and programs what happened, from the store's outbox: see `runtime.news`. Any number of processes may run it on
 * one store.
 *
 *      log ─▶ outbox ─▶ tasks ─▶ a channel shows a copy, a webhook is posted, a handler is called
 *
 * Each arrow is written before what it comes from is removed, so a process that dies loses nothing. What may happen twice is
 * the last step: a person may see a message twice, a receiver gets the same `webhook-id` again. What a person decides is a
 * command to the log, and the log accepts one.
 */
import {
  guardedFetch,
  nodePorts,
  HoldpointError,
  type Json,
  type Ports,
  type Principal,
  type Runtime,
  type Store,
} from 'holdpoint'
import { readNews, removeNews, type NewsItem } from '@holdpoint/runtime'
import type { Channel, ChannelInbox } from './channel.ts'
import { channelEvent, type ChannelEvent } from './channel-event.ts'
import { ChannelPeople } from './channel-people.ts'
import { Copies, copyRetryAfter, isRefused } from './copies.ts'
import type { CopyOf } from './copy-of.ts'
import { Deliveries } from './deliveries.ts'
import type { DigestOf } from './digests.ts'
import { decidedPage, linkPage } from './link-page.ts'
import { Links, type LinkOptions } from './links.ts'
import { readText } from './read-text.ts'
import { Tasks, type Task, type TaskResult } from './tasks.ts'
import { Triggers } from './triggers.ts'
import { Webhooks, webhookRetryAfter } from './webhooks.ts'

export interface ChannelsOptions {
  /** It must be opened with `news: true`. */
  readonly runtime: Runtime
  /** The store of the runtime. */
  readonly store: Store
  readonly channels?: readonly Channel[]
  /** Where people reach the gateway, without a slash at the end: `https://holds.acme.test`. */
  readonly url: string
  /** The person with their groups and delegations now. Default: the id alone. */
  readonly principal?: (tenant: string, person: string) => Promise<Principal>
  /** Without it, messages have no signed links. */
  readonly links?: LinkOptions
  /**
   * Code that is called with every event, under a name that stays the same. It is called again until it does not throw, also
   * after a restart, so it may be called twice.
   */
  readonly handlers?: Readonly<Record<string, (event: ChannelEvent) => void | Promise<void>>>
  /** Hosts in the operator's network that webhooks may post to. */
  readonly privateHosts?: readonly string[] | true
  readonly ports?: Pick<Ports, 'now' | 'sleep'>
  /** How often to look for news of other processes. Default: a second. */
  readonly lookMs?: number
  readonly onProblem?: (error: unknown) => void
}

const NEWS_AT_ONCE = 100
const REFRESH_MS = 30_000
const MOST_FORM_BYTES = 10_000

export class Channels {
  readonly people: ChannelPeople
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly triggers: Triggers
  readonly #options: ChannelsOptions
  readonly #ports: Pick<Ports, 'now' | 'sleep'>
  readonly #channels: ReadonlyMap<string, Channel>
  readonly #links: Links | undefined
  readonly #copies: Copies
  readonly #tasks: Tasks
  readonly #closing = new AbortController()
  #nudged = Promise.withResolvers<void>()
  #refreshedAt = -Infinity
  readonly #loop: Promise<void>
  readonly #unlisten: () => void

  private constructor(options: ChannelsOptions) {
    const { runtime, store, channels = [], ports = nodePorts, principal = idOnly, url } = options
    this.#options = options
    this.#ports = ports
    this.#channels = new Map(channels.map((channel) => [channel.name, channel]))
    if (this.#channels.size < channels.length)
      throw new HoldpointError('config-invalid', 'Two channels have the same name.')
    if (!URL.canParse(url) || url.endsWith('/'))
      throw new HoldpointError(
        'config-invalid',
        'The "url" of channels must be an address such as "https://holds.acme.test".',
      )
    const now = (): number => ports.now()
    this.people = new ChannelPeople(store, channels)
    const decider: Copies['decider'] = (tenant, row) => this.#copies.decider(tenant, row)
    this.#links =
      options.links &&
      new Links(options.links, {
        runtime,
        store,
        url,
        now,
        decider: async (tenant, person) => decider(tenant, (await this.people.find(tenant, person)) ?? { person }),
      })
    this.#copies = new Copies({
      runtime,
      store,
      channels: this.#channels,
      people: this.people,
      principal,
      links: this.#links,
      url,
      now,
      add: (task, dueAt) => this.#tasks.add(task, dueAt),
    })
    const fetch = guardedFetch({
      maxBytes: 100_000,
      ...(options.privateHosts !== undefined && { privateHosts: options.privateHosts }),
    })
    this.webhooks = new Webhooks({ store, now, fetch })
    this.triggers = new Triggers(store, runtime, now)
    const worker = {
      work: (task: Task & { readonly attempts: number }, signal: AbortSignal) => this.#work(task, signal),
      retryAfter: ({ group }: Task, failures: number) =>
        group.startsWith('webhook ') ? webhookRetryAfter(failures) : copyRetryAfter(failures),
      problem: (error: unknown) => this.#problem(error),
    }
    this.#tasks = new Tasks(store, ports, worker, () => this.#nudge())
    this.deliveries = new Deliveries(store, this.#tasks)
    this.#unlisten = store.listen(() => this.#nudge())
    this.#loop = this.#keep()
  }

  static open(options: ChannelsOptions): Channels {
    return new Channels(options)
  }

  /** When a pending delivery of a webhook is sent again. */
  async nextAttempt(tenant: string, deliveryId: string): Promise<number | undefined> {
    return (await this.#tasks.find(`webhook/${encodeURIComponent(tenant)}/${deliveryId}`))?.dueAt
  }

  /** How much each channel, and webhooks and handlers, have to do, as this process knows it; for one tenant or for all. */
  waiting(tenant?: string): readonly { readonly name: string; readonly waiting: number; readonly retrying: number }[] {
    const none = [...this.#channels.keys()].map((name) => ({ name, waiting: 0, retrying: 0 }))
    const rows = new Map(none.map((row) => [row.name, row]))
    for (const { group, what, attempts } of this.#tasks.known()) {
      if (tenant !== undefined && tenantOf(what as unknown as Partial<Work>) !== tenant) continue
      const name = group.startsWith('webhook ') ? 'webhooks' : group.replace(/^channel /, '')
      const row = rows.get(name) ?? { name, waiting: 0, retrying: 0 }
      rows.set(name, { name, waiting: row.waiting + 1, retrying: row.retrying + (attempts > 0 ? 1 : 0) })
    }
    return [...rows.values()]
  }

  /** Sends a delivery of a webhook again. False when there is none. */
  async replay(tenant: string, deliveryId: string): Promise<boolean> {
    const task = await this.webhooks.replay(tenant, deliveryId)
    if (!task) return false
    await this.#tasks.add(task)
    this.#nudge()
    return true
  }

  /** Requests of services and people: `/links/…`, `/triggers/…`, `/channels/…`. Undefined for any other path. */
  async answer(request: Request): Promise<Response | undefined> {
    const [, area, name = ''] = new URL(request.url).pathname.split('/')
    if (area === 'links') return this.#answerLink(request, name)
    if (area === 'triggers' && request.method === 'POST') return this.triggers.receive(name, request)
    if (area !== 'channels' || request.method !== 'POST') return undefined
    return this.#channels.get(name)?.receive?.(request, this.#inbox(name))
  }

  /** Stops. What is not done is done by another process, or after the next start. */
  async close(): Promise<void> {
    this.#unlisten()
    this.#closing.abort()
    this.#nudge()
    await this.#loop
    await this.#tasks.close()
  }

  async #answerLink(request: Request, token: string): Promise<Response | undefined> {
    if (!this.#links) return undefined
    if (request.method === 'GET' || request.method === 'HEAD') return linkPage(await this.#links.page(token))
    if (request.method !== 'POST') return undefined
    const body = await readText(request, MOST_FORM_BYTES)
    const form = new URLSearchParams(body)
    const [decision, reason] = [form.get('decision'), form.get('reason')?.trim()]
    if (decision !== 'approve' && decision !== 'reject') return decidedPage({ refused: 'nonce' })
    const resolution =
      decision === 'approve'
        ? { kind: 'approve' as const }
        : { kind: 'reject' as const, ...(reason !== undefined && reason !== '' && { reason }) }
    const given = { nonce: form.get('nonce') ?? '', code: form.get('code') ?? '', resolution }
    return decidedPage(await this.#links.decide(token, given))
  }

  #inbox(channel: string): ChannelInbox {
    return {
      hold: async (address, of) => {
        const row = await this.people.withAddress(of.tenant, channel, address)
        return row && this.#copies.inboxHold(of, row)
      },
      decide: async (address, { tenant, conversationId, callId, hold, resolution }) => {
        // A person registers a device without an admin, so it proves nothing.
        const isDevice = this.#channels.get(channel)?.devices !== undefined
        const row = isDevice ? undefined : await this.people.withAddress(tenant, channel, address)
        if (!row) return { verdict: 'not-allowed', message: 'This account belongs to no person here.' }
        const decider = await this.#copies.decider(tenant, row)
        return this.#options.runtime.tenant(tenant).resolve(conversationId, callId, resolution, { ...decider, hold })
      },
    }
  }

  async #keep(): Promise<void> {
    const { lookMs = 1000 } = this.#options
    while (!this.#closing.signal.aborted) {
      const nudged = (this.#nudged = Promise.withResolvers<void>())
      let next: number | undefined
      try {
        if (this.#ports.now() - this.#refreshedAt >= REFRESH_MS) {
          await this.#tasks.refresh()
          this.#refreshedAt = this.#ports.now()
        }
        await this.#handleNews()
        next = this.#tasks.begin()
      } catch (error) {
        this.#problem(error)
      }
      const wait = Math.min(lookMs, Math.max(0, (next ?? Infinity) - this.#ports.now()))
      const woken = new AbortController()
      await Promise.race([nudged.promise, this.#ports.sleep(wait, woken.signal, 'background')])
      woken.abort()
    }
  }

  async #handleNews(): Promise<void> {
    let after: string | undefined
    do {
      const items = await readNews(this.#options.store, NEWS_AT_ONCE, after)
      for (const item of items) {
        if (this.#closing.signal.aborted) return
        // An item that cannot be handled stays, and does not keep back others.
        await this.#handle(item).catch((error: unknown) => this.#problem(error))
      }
      after = items.length < NEWS_AT_ONCE ? undefined : items.at(-1)?.id
    } while (after !== undefined)
  }

  async #handle(item: NewsItem): Promise<void> {
    for (const task of await this.#tasksFor(item)) await this.#tasks.add(task)
    await removeNews(this.#options.store, item)
  }

  async #tasksFor(item: NewsItem): Promise<readonly Task[]> {
    const { news, tenant, conversationId, id } = item
    const { store, handlers = {} } = this.#options
    const event = await channelEvent(store, item)
    const copies =
      news.type === 'turn.ended'
        ? []
        : await this.#copies.tasksFor({ tenant, conversationId, callId: news.callId, hold: news.hold })
    const handled = Object.keys(handlers).map((name): Task => {
      const what = { handler: name, event: event as unknown as Json }
      return { id: `handler/${encodeURIComponent(name)}/${id}`, group: `handler ${name}`, what }
    })
    return [...copies, ...(await this.webhooks.tasksFor(item, event)), ...handled]
  }

  async #work({ what, attempts }: Task & { readonly attempts: number }, signal: AbortSignal): Promise<TaskResult> {
    const { copy, digest, webhook, handler, event } = what as unknown as Partial<Work>
    if (webhook) {
      const isLast = webhookRetryAfter(attempts + 1) === undefined
      return this.webhooks.work(webhook.tenant, webhook.id, signal, isLast)
    }
    if (handler !== undefined && event) {
      await this.#options.handlers?.[handler]?.(event)
      return { done: true }
    }
    try {
      if (digest) return await this.#copies.workDigest(digest, signal)
      return copy ? await this.#copies.work(copy, signal) : { done: true }
    } catch (error) {
      if (!isRefused(error)) throw error
      return { refused: error }
    }
  }

  #nudge(): void {
    this.#nudged.resolve()
  }

  #problem(error: unknown): void {
    const { onProblem = (each: unknown) => nodePorts.problem?.(each) } = this.#options
    onProblem(error)
  }
}

interface Work {
  readonly copy: CopyOf
  readonly digest: DigestOf
  readonly webhook: { readonly tenant: string; readonly id: string }
  readonly handler: string
  readonly event: ChannelEvent
}

function tenantOf({ copy, webhook, event }: Partial<Work>): string | undefined {
  return copy?.tenant ?? webhook?.tenant ?? event?.data.tenant
}

function idOnly(_tenant: string, person: string): Promise<Principal> {
  return Promise.resolve({ id: person, kind: 'person' })
}
