/**
 * What a client holds while a call waits: which turn of which conversation it is, sealed for whoever was given it. Clients send it back,
 * so it is a stranger's word until its seal was checked; and it says nothing that its holder does not know.
 */
import type { Store } from '@holdpoint/core'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Place } from './standing.ts'

export interface Holder {
  readonly tenant: string
  readonly by: string
}

const KIND = 'mcp-key'

export class Tickets {
  readonly #store: Pick<Store, 'get' | 'put'>
  #key: Promise<Buffer> | undefined

  constructor(store: Pick<Store, 'get' | 'put'>) {
    this.#store = store
  }

  /** `seq` is where the conversation stands: each round of questions has a ticket of its own. */
  async seal({ conversation, turnId }: Place, seq: number, holder: Holder): Promise<string> {
    const body = Buffer.from(`${seq} ${turnId} ${conversation}`).toString('base64url')
    return `${body}.${await this.#mac(body, holder)}`
  }

  /** Undefined when it is none of ours, or somebody else's. */
  async open(sealed: string, holder: Holder): Promise<Place | undefined> {
    const [body = '', mac = '', ...more] = sealed.split('.')
    const given = Buffer.from(mac)
    const should = Buffer.from(await this.#mac(body, holder))
    if (more.length > 0 || given.length !== should.length || !timingSafeEqual(given, should)) return undefined
    const text = Buffer.from(body, 'base64url').toString()
    const [, turnId = '', ...conversation] = text.split(' ')
    return { turnId, conversation: conversation.join(' ') }
  }

  async #mac(body: string, { tenant, by }: Holder): Promise<string> {
    this.#key ??= this.#load()
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined
      throw error
    })
    return createHmac('sha256', key)
      .update(JSON.stringify([tenant, by, body]))
      .digest('base64url')
  }

  /** The same in every process, and after every restart. */
  async #load(): Promise<Buffer> {
    const found = await this.#store.get('', KIND, 'tickets')
    if (found) return Buffer.from(found.data as string, 'base64url')
    const data = randomBytes(32).toString('base64url')
    await this.#store.put({ tenant: '', kind: KIND, id: 'tickets', data, expected: 0 })
    const kept = await this.#store.get('', KIND, 'tickets')
    return Buffer.from((kept?.data ?? data) as string, 'base64url')
  }
}
