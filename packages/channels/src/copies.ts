/**
 * The copies of a hold's message: one per person and channel. A copy is brought up to date from the state of the log, not from
 * the event that caused it, so doing that twice or late gives the same message.
 */
import { createHash } from 'node:crypto'
import { isNamedIn } from '@holdpoint/core/internal/principal'
import { canonical, isObject } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import type { HoldKind, Json, Principal, Store } from 'holdpoint'
import { ChannelRefused, type Channel, type HoldMessage, type InboxHold } from './channel.ts'
import { copyId, copyPrefix, KEPT_MS, RECHECK_MS, type Copy, type CopyOf } from './copy-of.ts'
import type { ChannelPeople, ChannelPerson } from './channel-people.ts'
import { closedMessage, holdState, openMessage, wasReminded, type CopyFacts, type HoldOf } from './hold-message.ts'
import { nextDigest } from './digest-times.ts'
import { Digests, type DigestOf } from './digests.ts'
import type { Links } from './links.ts'
import { preferencesFor } from './preferences.ts'
import { quietUntil } from './quiet-hours.ts'
import type { Task, TaskResult } from './tasks.ts'

export interface CopiesOptions {
  readonly runtime: Runtime
  readonly store: Store
  readonly channels: ReadonlyMap<string, Channel>
  readonly people: ChannelPeople
  readonly principal: (tenant: string, person: string) => Promise<Principal>
  readonly links: Links | undefined
  /** The address of the console. */
  readonly url: string
  readonly now: () => number
  /** Adds a task, durably. */
  readonly add: (task: Task, dueAt: number) => Promise<void>
}

const COPY = 'channels.copy'
/** The kinds that a person without the right `resolver` may answer without being named, as in the gateway. */
const OWN_KINDS: readonly HoldKind[] = ['client']

export class Copies {
  readonly #options: CopiesOptions
  readonly #digests: Digests

  constructor(options: CopiesOptions) {
    this.#options = options
    this.#digests = new Digests({ ...options, copies: this })
  }

  /** Shows the newest version of a digest. */
  workDigest(digest: DigestOf, signal: AbortSignal): Promise<TaskResult> {
    return this.#digests.work(digest, signal)
  }

  /** What is known of a copy that was shown, or that waits for a digest. */
  async find(copy: CopyOf): Promise<Copy | undefined> {
    const doc = await this.#options.store.get(copy.tenant, COPY, copyId(copy))
    return doc && (doc.data as unknown as Copy)
  }

  /** The hold is over, and its person has read so: nothing is shown any more. */
  async end(copy: CopyOf): Promise<void> {
    const known = await this.find(copy)
    if (known) await this.#write(copy, { ...known, over: true })
  }

  /** The tasks that follow from news of a hold: for people who may decide it, and for every copy that exists. */
  async tasksFor(of: HoldOf): Promise<readonly Task[]> {
    const { runtime, store, people } = this.#options
    const tasks = new Map<string, Task>()
    const add = (copy: CopyOf): void => void tasks.set(copyId(copy), this.#task(copy))
    const state = await holdState(runtime, store, of)
    if ('open' in state)
      for await (const person of people.all(of.tenant)) {
        const { off } = preferencesFor(person, state.open.agent)
        const names = Object.keys(person.addresses).filter((name) => !off.includes(name))
        if (names.length > 0 && (await this.#concerns(state.open, of.tenant, person)))
          for (const channel of names) add({ ...of, person: person.person, channel })
      }
    for await (const copy of this.#existing(of)) add(copy)
    return [...tasks.values()]
  }

  /** Shows the newest version of a copy. */
  async work(copy: CopyOf, signal: AbortSignal): Promise<TaskResult> {
    const { channels, people, store, now } = this.#options
    const channel = channels.get(copy.channel)
    const row = await people.find(copy.tenant, copy.person)
    const address = row?.addresses[copy.channel]
    if (!channel || !row || address === undefined) return { done: true }
    const id = copyId(copy)
    const doc = await store.get(copy.tenant, COPY, id)
    const before = doc?.data as unknown as Copy | undefined
    if (before?.over) return { done: true }
    if (before?.digest !== undefined) return this.#digests.bringUpToDate(copy, before.digest)
    const message = await this.message(copy, row, before)
    if (!message) return { done: true }
    const facts = { agent: message.agent, tool: message.tool, kind: message.kind }
    if (!before && !message.end) {
      const { quiet, digest } = preferencesFor(row, message.agent)
      const at = digest && nextDigest(digest, now())
      // A hold that is over before the digest is told of by itself.
      if (at !== undefined && at < message.expiresAt && channel.showDigest) {
        await this.#write(copy, { ...facts, ref: null, shown: '', digest: at }, 0)
        return this.#digests.bringUpToDate(copy, at)
      }
      const until = quietUntil(quiet, now())
      if (until !== undefined) return { at: until }
    }
    // Each link is a new one, so it says nothing about a change.
    const { link: _link, ...compared } = message
    const shown = canonical(compared as unknown as Json)
    const hash = createHash('sha256').update(shown).digest('base64url')
    const done: TaskResult = message.end ? { done: true } : { at: now() + RECHECK_MS }
    if (before?.shown === hash) return done
    const ref = await channel.show({ message, address, ref: before?.ref, key: `${id}/${hash}`, signal })
    await this.#write(copy, { ...facts, ref, shown: hash, ...(message.end && { over: true }) })
    // News that came before the first mark of a copy found no copy to bring up to date: look again now that there is one.
    return before || message.end ? done : { at: now() }
  }

  /** The person at an address of a channel, as a principal with the kinds of hold that the person may resolve. */
  async decider(
    tenant: string,
    row: Pick<ChannelPerson, 'person' | 'resolver'>,
  ): Promise<{ readonly by: Principal; readonly kinds?: readonly HoldKind[] }> {
    const by: Principal = { ...(await this.#options.principal(tenant, row.person)), auth: 'channel' }
    return row.resolver ? { by } : { by: { ...by, access: 'own' }, kinds: OWN_KINDS }
  }

  /** The copy as its person may read it now. Undefined for a person who has no copy and may not decide. */
  async message(
    copy: CopyOf,
    row: ChannelPerson,
    before: CopyFacts | undefined,
    most?: number,
  ): Promise<HoldMessage | undefined> {
    const { runtime, store, links, now } = this.#options
    const { channel: _channel, ...of } = copy
    const state = await holdState(runtime, store, of, await this.decider(of.tenant, row))
    const url = this.#urlOf(of)
    if ('end' in state) return before && closedMessage(of, before, state, url, most)
    const { open } = state
    const may = open.may?.why === undefined
    // A person who lost the right since is told that on the copy they have, and gets no new one.
    if (!may && !before) return undefined
    const link = may && open.expiresAt > now() ? links?.linkFor(of, open) : undefined
    return openMessage(of, open, { reminded: await wasReminded(store, of), url, ...(link && { link }) }, most)
  }

  async #write(copy: CopyOf, data: Copy, expected?: number): Promise<void> {
    const put = { tenant: copy.tenant, kind: COPY, id: copyId(copy), data: data as unknown as Json }
    const kept = { ...(data.over && { ttlMs: KEPT_MS }), ...(expected !== undefined && { expected }) }
    await this.#options.store.put({ ...put, ...kept })
  }

  /** The hold whole, while the person may decide it. */
  async inboxHold(of: HoldOf, row: ChannelPerson): Promise<InboxHold | undefined> {
    const { tenant, conversationId, callId, hold } = of
    const { runtime, store } = this.#options
    const state = await holdState(runtime, store, of, await this.decider(tenant, row))
    if ('end' in state || state.open.may?.why !== undefined) return undefined
    const { open } = state
    const to = { tenant, conversationId, callId, hold, person: row.person }
    const inputSchema = open.definition?.input
    return {
      message: openMessage(to, open, { reminded: false, url: this.#urlOf(of) }, Infinity),
      input: open.input,
      ...(isObject(inputSchema) && { inputSchema }),
      ...(open.answerSchema && { answerSchema: open.answerSchema }),
    }
  }

  /** A first look, without reading the log again for each person. `work` asks the decision itself. */
  async #concerns(open: PendingHold, tenant: string, row: ChannelPerson): Promise<boolean> {
    if (row.agents && !row.agents.includes(open.agent)) return false
    const { to, kind, askedBy = [] } = open
    if (!to && row.resolver) return true
    const asked =
      kind === 'elicitation' && askedBy.some((author) => author.kind !== 'agent' && author.by === row.person)
    if (!to) return asked
    const { groups = [], delegations = [] } = await this.#options.principal(tenant, row.person)
    const names = [{ id: row.person, groups }, ...delegations.map(({ from }) => from)]
    return names.some((who) => isNamedIn(to, who))
  }

  #task(copy: CopyOf): Task {
    const id = `copy/${encodeURIComponent(copy.tenant)}/${copyId(copy)}`
    return { id, group: `channel ${copy.channel}`, what: { copy: { ...copy } } }
  }

  async *#existing(of: HoldOf): AsyncGenerator<CopyOf> {
    let after: string | undefined
    do {
      const prefix = copyPrefix(of)
      const query = { tenant: of.tenant, kind: COPY, prefix, limit: 200, ...(after !== undefined && { after }) }
      const { items, next } = await this.#options.store.documents(query)
      for (const { id, data } of items) {
        const [person = '', channel = ''] = id.slice(prefix.length).split('/').map(decodeURIComponent)
        if (!(data as unknown as Copy).over) yield { ...of, person, channel }
      }
      after = next
    } while (after !== undefined)
  }

  #urlOf({ conversationId, callId }: HoldOf): string {
    return `${this.#options.url}/holds/${encodeURIComponent(conversationId)}/${encodeURIComponent(callId)}`
  }
}

export function copyRetryAfter(failures: number): number | undefined {
  // About two days; a hold that is over by then needs no message any more.
  return failures > 300 ? undefined : Math.min(1000 * 2 ** failures, 600_000)
}

export function isRefused(error: unknown): boolean {
  return error instanceof ChannelRefused
}
