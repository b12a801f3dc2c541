/** What an operator reads of messages to people: which were shown, wait, are tried again, or were given up. They have no content. */
import type { Store } from 'holdpoint'
import { copyId, type CopyOf, type Copy } from './copy-of.ts'
import type { DigestOf } from './digests.ts'
import type { KnownTask, Tasks } from './tasks.ts'

export interface ChannelDelivery {
  readonly id: string
  readonly channel: string
  readonly person: string
  /** Missing for a digest. */
  readonly conversationId?: string
  readonly callId?: string
  /** `shown`: the message is there, and is updated when its hold changes. */
  readonly state: 'waiting' | 'retrying' | 'shown' | 'failed'
  readonly attempts: number
  /** When it is tried or looked at again. */
  readonly nextAt?: number
  /** The last error. */
  readonly error?: string
}

/** Those that were given up come first. */
const SEGMENTS = [
  { what: 'copy', failed: true },
  { what: 'digest', failed: true },
  { what: 'digest', failed: false },
  { what: 'copy', failed: false },
] as const

export class Deliveries {
  readonly #store: Store
  readonly #tasks: Pick<Tasks, 'list' | 'again'>

  constructor(store: Store, tasks: Pick<Tasks, 'list' | 'again'>) {
    this.#store = store
    this.#tasks = tasks
  }

  async list(
    tenant: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly items: readonly ChannelDelivery[]; readonly next: string | undefined }> {
    const [from, at] = cursorOf(after)
    const items: ChannelDelivery[] = []
    for (let index = from; index < SEGMENTS.length; index++) {
      const { what, failed } = SEGMENTS[index]!
      const prefix = `${what}/${encodeURIComponent(tenant)}/`
      const page = await this.#tasks.list({
        failed,
        prefix,
        after: index === from ? at : undefined,
        limit: limit - items.length,
      })
      for (const task of page.items) items.push(await this.#deliveryOf(task, failed))
      if (page.next !== undefined) return { items, next: `${index}:${page.next}` }
      if (items.length >= limit && index + 1 < SEGMENTS.length) return { items, next: `${index + 1}:` }
    }
    return { items, next: undefined }
  }

  /** Tries one now, also one that was given up. False when there is none. */
  replay(tenant: string, id: string): Promise<boolean> {
    const own = SEGMENTS.some(({ what }) => id.startsWith(`${what}/${encodeURIComponent(tenant)}/`))
    return own ? this.#tasks.again(id) : Promise.resolve(false)
  }

  async #deliveryOf({ id, what, attempts, dueAt, error }: KnownTask, failed: boolean): Promise<ChannelDelivery> {
    const { copy, digest } = what as unknown as { readonly copy?: CopyOf; readonly digest?: DigestOf }
    const { person, channel } = (copy ?? digest)!
    const isShown = !failed && attempts === 0 && copy !== undefined && (await this.#isShown(copy))
    const waits = attempts > 0 ? 'retrying' : 'waiting'
    return {
      id,
      channel,
      person,
      ...(copy && { conversationId: copy.conversationId, callId: copy.callId }),
      state: failed ? 'failed' : isShown ? 'shown' : waits,
      attempts,
      ...(!failed && { nextAt: dueAt }),
      ...(error !== undefined && { error }),
    }
  }

  async #isShown(copy: CopyOf): Promise<boolean> {
    const doc = await this.#store.get(copy.tenant, 'channels.copy', copyId(copy))
    return doc !== undefined && (doc.data as unknown as Copy).shown !== ''
  }
}

function cursorOf(after: string | undefined): readonly [number, string | undefined] {
  const [, index = '0', rest = ''] = /^([0-3]):(.*)$/s.exec(after ?? '') ?? []
  return [Number(index), rest === '' ? undefined : rest]
}
