/**
 * Digests: the holds of a person that wait for one time and channel are one message. A hold is a copy whose document names the
 * digest, and an entry of the digest; the digest is a task that is due at its time. Each is written before the next one, and
 * done again after a kill. The message follows from the newest state of the logs, so a hold that is over by then is left out,
 * and one that is settled later is updated in it.
 */
import { createHash } from 'node:crypto'
import { canonical } from '@holdpoint/core'
import type { Json, Store } from 'holdpoint'
import type { Channel, DigestMessage, HoldMessage } from './channel.ts'
import type { ChannelPeople, ChannelPerson } from './channel-people.ts'
import { copyId, KEPT_MS, RECHECK_MS, type Copy, type CopyOf } from './copy-of.ts'
import { preferencesFor } from './preferences.ts'
import { quietUntil } from './quiet-hours.ts'
import type { CopyFacts } from './hold-message.ts'
import type { Task, TaskResult } from './tasks.ts'

export interface DigestOf {
  readonly tenant: string
  readonly person: string
  readonly channel: string
  readonly at: number
}

interface Shown {
  readonly ref: Json
  readonly shown: string
  /** The holds that the message has, by the ids of their entries. */
  readonly holds: readonly string[]
}

interface DigestsOptions {
  readonly store: Store
  readonly people: ChannelPeople
  readonly channels: ReadonlyMap<string, Channel>
  readonly url: string
  readonly now: () => number
  readonly add: (task: Task, dueAt: number) => Promise<void>
  readonly copies: {
    find(copy: CopyOf): Promise<Copy | undefined>
    message(copy: CopyOf, row: ChannelPerson, before: CopyFacts, most: number): Promise<HoldMessage | undefined>
    end(copy: CopyOf): Promise<void>
  }
}

const DIGEST = 'channels.digest'
const ENTRY = 'channels.digest-entry'
const MOST_HOLDS = 20
const MOST_CHARACTERS = 400
const PAGE = 200

interface Found {
  readonly id: string
  readonly copy: CopyOf
  readonly message: HoldMessage
}

export class Digests {
  readonly #options: DigestsOptions

  constructor(options: DigestsOptions) {
    this.#options = options
  }

  /** Adds a copy to the digest of a time, or has the digest shown again because the copy's hold changed. */
  async bringUpToDate(copy: CopyOf, at: number): Promise<TaskResult> {
    const { store, now, add } = this.#options
    const { tenant, person, channel } = copy
    const digest: DigestOf = { tenant, person, channel, at }
    const id = `${prefixOf(digest)}${copyId(copy)}`
    await store.put({ tenant, kind: ENTRY, id, expected: 0, data: copy as unknown as Json })
    const task = `digest/${encodeURIComponent(tenant)}/${prefixOf(digest)}`
    await add({ id: task, group: `channel ${channel}`, what: { digest: { ...digest } } }, Math.max(at, now()))
    return { done: true }
  }

  async work(of: DigestOf, signal: AbortSignal): Promise<TaskResult> {
    const { channels, people, store, now, url } = this.#options
    const channel = channels.get(of.channel)
    const row = await people.find(of.tenant, of.person)
    const address = row?.addresses[of.channel]
    if (!channel?.showDigest || !row || address === undefined) return { done: true }
    const doc = await store.get(of.tenant, DIGEST, prefixOf(of))
    const before = doc?.data as unknown as Shown | undefined
    const found = await this.#found(of, row, before)
    const open = found.filter(({ message }) => !message.end)
    if (!before) {
      if (open.length === 0) return this.#finish(of, found)
      const until = quietEnd(row, open, now())
      if (until !== undefined) return { at: until }
    }
    const holds = found.slice(0, MOST_HOLDS)
    const digest: DigestMessage = {
      tenant: of.tenant,
      person: of.person,
      holds: holds.map(({ message }) => message),
      more: found.length - holds.length,
      url: `${url}/holds`,
    }
    const compared = { ...digest, holds: digest.holds.map(({ link: _link, ...message }) => message) }
    const hash = createHash('sha256')
      .update(canonical(compared as unknown as Json))
      .digest('base64url')
    if (before?.shown !== hash) {
      const key = `${prefixOf(of)}${hash}`
      const ref = await channel.showDigest({ digest, address, ref: before?.ref, key, signal })
      const after: Shown = { ref, shown: hash, holds: found.map(({ id }) => id) }
      await store.put({ tenant: of.tenant, kind: DIGEST, id: prefixOf(of), data: after as unknown as Json })
    }
    return open.length === 0 ? this.#finish(of, found) : { at: now() + RECHECK_MS }
  }

  /** Every hold of the digest that its person may read. One that is over, and was never shown, is left out. */
  async #found(of: DigestOf, row: ChannelPerson, before: Shown | undefined): Promise<readonly Found[]> {
    const { store, copies } = this.#options
    const shown = new Set(before?.holds)
    const found: Found[] = []
    let after: string | undefined
    do {
      const query = { tenant: of.tenant, kind: ENTRY, prefix: prefixOf(of), limit: PAGE }
      const { items, next } = await store.documents({ ...query, ...(after !== undefined && { after }) })
      for (const { id, data } of items) {
        const copy = data as unknown as CopyOf
        const facts = await copies.find(copy)
        const message = facts && (await copies.message(copy, row, facts, MOST_CHARACTERS))
        if (!message) continue
        const isNew = !shown.has(id)
        // The person lost the right before the digest, or the hold is over: there is nothing to tell.
        if (isNew && (message.end || message.why !== undefined)) await this.#leaveOut(of, id, copy)
        else found.push({ id, copy, message })
      }
      after = next
    } while (after !== undefined)
    return found
  }

  async #finish(of: DigestOf, found: readonly Found[]): Promise<TaskResult> {
    const { store } = this.#options
    for (const { id, copy } of found) await this.#leaveOut(of, id, copy)
    const doc = await store.get(of.tenant, DIGEST, prefixOf(of))
    if (doc) await store.put({ tenant: of.tenant, kind: DIGEST, id: prefixOf(of), data: doc.data, ttlMs: KEPT_MS })
    return { done: true }
  }

  /** Only this entry: another process may be adding one. */
  async #leaveOut(of: DigestOf, id: string, copy: CopyOf): Promise<void> {
    await this.#options.copies.end(copy)
    await this.#options.store.put({ tenant: of.tenant, kind: ENTRY, id, data: undefined })
  }
}

/** When the message may be sent: one hold outside of quiet hours is enough. */
function quietEnd(row: ChannelPerson, open: readonly Found[], now: number): number | undefined {
  const ends = open.map(({ message }) => quietUntil(preferencesFor(row, message.agent).quiet, now))
  return ends.includes(undefined) ? undefined : Math.min(...ends.map((end) => end ?? Infinity))
}

function prefixOf({ person, channel, at }: DigestOf): string {
  return `${encodeURIComponent(person)}/${encodeURIComponent(channel)}/${at}/`
}
