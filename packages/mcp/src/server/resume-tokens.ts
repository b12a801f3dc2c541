/**
 * A resume token names a call that waits, and is signed for the credential that received it. Clients send it back, so it is
 * untrusted until its signature is verified. It contains nothing that its holder does not already know.
 */
import type { Store } from '@holdpoint/core'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CallRef } from './call-status.ts'

export interface TokenHolder {
  readonly tenant: string
  /** The id of the credential. Names are not unique. */
  readonly id: string
}

const KIND = 'mcp-key'
const KEY_ID = 'resume-tokens'

export class ResumeTokens {
  readonly #store: Pick<Store, 'get' | 'put'>
  #key: Promise<Buffer> | undefined

  constructor(store: Pick<Store, 'get' | 'put'>) {
    this.#store = store
  }

  /** `seq` is the conversation's current position, so that each round of questions gets a different token. */
  async sign({ conversation, turnId }: CallRef, seq: number, holder: TokenHolder): Promise<string> {
    const body = Buffer.from(`${seq} ${turnId} ${conversation}`).toString('base64url')
    return `${body}.${await this.#mac(body, holder)}`
  }

  /** Undefined when the signature is invalid or was made for another holder. */
  async verify(token: string, holder: TokenHolder): Promise<CallRef | undefined> {
    const [body = '', mac = '', ...more] = token.split('.')
    const given = Buffer.from(mac)
    const expected = Buffer.from(await this.#mac(body, holder))
    if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    const text = Buffer.from(body, 'base64url').toString()
    const [, turnId = '', ...conversation] = text.split(' ')
    return { turnId, conversation: conversation.join(' ') }
  }

  async #mac(body: string, { tenant, id }: TokenHolder): Promise<string> {
    this.#key ??= this.#loadKey()
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined
      throw error
    })
    return createHmac('sha256', key)
      .update(JSON.stringify([tenant, id, body]))
      .digest('base64url')
  }

  /** All processes share the key, and it survives restarts. */
  async #loadKey(): Promise<Buffer> {
    const found = await this.#store.get('', KIND, KEY_ID)
    if (found) return Buffer.from(found.data as string, 'base64url')
    const data = randomBytes(32).toString('base64url')
    await this.#store.put({ tenant: '', kind: KIND, id: KEY_ID, data, expected: 0 })
    const kept = await this.#store.get('', KIND, KEY_ID)
    return Buffer.from((kept?.data ?? data) as string, 'base64url')
  }
}
