/**
 * Signed links: the person that a link was made for decides one hold with it, without signing in.
 *
 * | request                               | what it does                                                    |
 * |---|---|
 * | GET, HEAD                             | shows the hold; previews and scanners decide nothing            |
 * | POST without the page's nonce or code | nothing; each wrong code counts, and the fifth ends the link    |
 * | POST with both, the first time        | decides, as the person, the hold with this number and input     |
 *
 * The code is in the message, beside the link: a scanner that follows the link and presses every button on the page does not
 * type it. A link ends when it is used, after its lifetime, and when its hold changes or closes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { HoldpointError, type Json, type Resolution, type ResolveResult, type Runtime, type Store } from 'holdpoint'
import type { PendingHold } from '@holdpoint/runtime'
import type { HoldMessage } from './channel.ts'
import { holdState, isHoldOf, openMessage, type HoldOf } from './hold-message.ts'
import type { HoldEnd } from './hold-end.ts'

export interface LinkOptions {
  /** Signs the links: at least 32 characters. Give every process the same. */
  readonly secret: string
  /** How long a link lasts, in milliseconds. Default: a day. */
  readonly lifeMs?: number
  /** Holds for which a link only shows: the person must sign in to decide. Default: none. */
  readonly needsSignIn?: (hold: PendingHold & { readonly tenant: string }) => boolean
}

interface Claims extends HoldOf {
  readonly person: string
  readonly inputHash: string
  readonly expiresAt: number
  /** Unique: a link is used once. */
  readonly id: string
}

/** What the page of a link shows. */
export type LinkPage =
  | { readonly state: 'invalid' }
  | { readonly state: 'over'; readonly claims: HoldOf; readonly end: HoldEnd | undefined }
  | { readonly state: 'used' | 'sign-in'; readonly message: HoldMessage }
  | { readonly state: 'open'; readonly message: HoldMessage; readonly nonce: string }

export type LinkDecision =
  | { readonly refused: 'nonce' | 'code' | 'used' | 'not-open' }
  | { readonly result: ResolveResult; readonly person: string }

export interface LinkPorts {
  readonly runtime: Runtime
  readonly store: Store
  readonly decider: (tenant: string, person: string) => Promise<DeciderOptions>
  readonly url: string
  readonly now: () => number
}

type DeciderOptions = NonNullable<Parameters<typeof holdState>[3]>

const USED = 'channels.link'
const DAY_MS = 86_400_000
const NONCE_MS = 3_600_000
const MOST_WRONG_CODES = 5
/** Without characters that look alike. */
const CODE_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

export class Links {
  readonly #options: LinkOptions
  readonly #ports: LinkPorts

  constructor(options: LinkOptions, ports: LinkPorts) {
    if (options.secret.length < 32)
      throw new HoldpointError('config-invalid', 'The secret of the links must have at least 32 characters.')
    this.#options = options
    this.#ports = ports
  }

  /** Undefined when the hold needs a sign-in, or takes another answer than yes and no. */
  linkFor(of: HoldOf & { readonly person: string }, open: PendingHold): HoldMessage['link'] {
    if (!open.accepts.includes('approve') || this.#needsSignIn(of.tenant, open)) return undefined
    const { tenant, conversationId, callId, hold, person } = of
    const expiresAt = Math.min(this.#ports.now() + (this.#options.lifeMs ?? DAY_MS), open.expiresAt)
    const id = randomBytes(16).toString('base64url')
    const claims: Claims = { tenant, conversationId, callId, hold, person, inputHash: open.inputHash, expiresAt, id }
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return { url: `${this.#ports.url}/links/${body}.${this.#sign('link', body)}`, code: this.#codeOf(id) }
  }

  async page(token: string): Promise<LinkPage> {
    const claims = this.#read(token)
    if (!claims) return { state: 'invalid' }
    const found = await this.#find(claims)
    if ('end' in found) return { state: 'over', claims, end: found.end }
    const { message } = found
    if (this.#needsSignIn(claims.tenant, found.open)) return { state: 'sign-in', message }
    if (await this.#isUsed(claims)) return { state: 'used', message }
    const made = `${this.#ports.now()}.${randomBytes(12).toString('base64url')}`
    return { state: 'open', message, nonce: `${made}.${this.#sign('nonce', `${claims.id}.${made}`)}` }
  }

  /** Decides. The log records the person of the link, and that they decided this hold with this input. */
  async decide(token: string, given: { nonce: string; code: string; resolution: Resolution }): Promise<LinkDecision> {
    const claims = this.#read(token)
    if (!claims || !this.#isNonce(claims, given.nonce)) return { refused: 'nonce' }
    const found = await this.#find(claims)
    if ('end' in found || this.#needsSignIn(claims.tenant, found.open)) return { refused: 'not-open' }
    const code = given.code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
    const use = await this.#use(claims, isEqual(code, this.#codeOf(claims.id)))
    if (use !== 'first') return { refused: use }
    const { tenant, conversationId, callId, hold, person } = claims
    const result = await this.#ports.runtime
      .tenant(tenant)
      .resolve(conversationId, callId, given.resolution, { ...(await this.#ports.decider(tenant, person)), hold })
    return { result, person }
  }

  /** The hold that the link was made for, while it is open and unchanged and the person may still decide it. */
  async #find(
    claims: Claims,
  ): Promise<{ readonly open: PendingHold; readonly message: HoldMessage } | { readonly end: HoldEnd | undefined }> {
    const { runtime, store, decider, url } = this.#ports
    const state = await holdState(runtime, store, claims, await decider(claims.tenant, claims.person))
    if ('end' in state) return { end: state.end }
    const { open } = state
    if (open.may?.why !== undefined || open.inputHash !== claims.inputHash) return { end: undefined }
    const at = `/holds/${encodeURIComponent(claims.conversationId)}/${encodeURIComponent(claims.callId)}`
    return { open, message: openMessage(holdOf(claims), open, { reminded: false, url: url + at }, Infinity) }
  }

  #needsSignIn(tenant: string, open: PendingHold): boolean {
    return this.#options.needsSignIn?.({ tenant, ...open }) ?? false
  }

  async #isUsed({ tenant, id }: Claims): Promise<boolean> {
    const doc = await this.#ports.store.get(tenant, USED, id)
    return doc !== undefined && isSpent(doc.data)
  }

  /**
   * Uses up the link before it decides: a process that dies in between leaves a link that decides nothing, and the person
   * signs in instead.
   */
  async #use({ tenant, id, expiresAt }: Claims, rightCode: boolean): Promise<'first' | 'used' | 'code'> {
    const { store, now } = this.#ports
    for (;;) {
      const doc = await store.get(tenant, USED, id)
      if (doc && isSpent(doc.data)) return 'used'
      const wrong = doc ? (doc.data as { readonly wrong: number }).wrong : 0
      const data: Json = rightCode ? { wrong, used: true } : { wrong: wrong + 1 }
      const ttlMs = Math.max(1, expiresAt - now()) + NONCE_MS
      const put = { tenant, kind: USED, id, expected: doc?.version ?? 0, data, ttlMs }
      if ((await store.put(put)).result === 'ok') return rightCode ? 'first' : 'code'
    }
  }

  #read(token: string): Claims | undefined {
    const [body = '', signature = ''] = token.split('.')
    if (!isEqual(signature, this.#sign('link', body))) return undefined
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (!isHoldOf(claims)) return undefined
    const known = claims as Claims
    return this.#ports.now() < known.expiresAt ? known : undefined
  }

  #isNonce({ id }: Claims, nonce: string): boolean {
    const [at = '', random = '', signature = ''] = nonce.split('.')
    if (!isEqual(signature, this.#sign('nonce', `${id}.${at}.${random}`))) return false
    return this.#ports.now() - Number(at) < NONCE_MS
  }

  #codeOf(id: string): string {
    const bytes = this.#hmac('code', id)
    return Array.from(bytes.subarray(0, 6), (byte) => CODE_CHARACTERS[byte % CODE_CHARACTERS.length]).join('')
  }

  /** `what` keeps a signature of one thing from being that of another. */
  #sign(what: 'link' | 'nonce', text: string): string {
    return this.#hmac(what, text).toString('base64url')
  }

  #hmac(what: 'link' | 'nonce' | 'code', text: string): Buffer {
    return createHmac('sha256', this.#options.secret).update(`${what}\n${text}`).digest()
  }
}

function isSpent(data: Json): boolean {
  const { used, wrong } = data as { readonly used?: true; readonly wrong: number }
  return used === true || wrong >= MOST_WRONG_CODES
}

function holdOf({ tenant, conversationId, callId, hold, person }: Claims): HoldOf & { readonly person: string } {
  return { tenant, conversationId, callId, hold, person }
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
