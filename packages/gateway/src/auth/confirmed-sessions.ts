/**
 * Finds the session of a cookie, with groups that the provider confirmed lately. Groups that are too old decide nothing.
 *
 * | age of the groups | a request |
 * |---|---|
 * | less than half of `groupsMaxAgeMs` | uses them |
 * | less than `groupsMaxAgeMs` | uses them, and the provider is asked in the background |
 * | more | waits for the provider. Without an answer it fails with `SignInUnavailable` |
 *
 * A session ends when the provider does not confirm the person. If the provider cannot be asked again (`confirmedAt` is
 * undefined), the groups are those of the sign-in until the session expires.
 *
 * A refresh token may work only once, and a provider may revoke a person's tokens when one is used twice. So one process
 * at a time asks about a session: it writes its `attempt` into the session first.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CookieSession, CookieSessions, FoundSession } from './cookie-sessions.ts'
import { personFrom } from './openid-claims.ts'
import type { OpenIdSettings } from './openid-options.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { RefusedSignIn } from './refused-sign-in.ts'
import { openTokens, sealTokens, type SessionTokens } from './session-tokens.ts'
import type { RefusedCredential } from './tokens.ts'

/** Longer than all requests to the provider together. After it, another process may ask. */
const ATTEMPT_MS = 40_000
/** A provider that did not answer is asked again after this time. */
const RETRY_MS = 10_000
const LONGEST_WAIT_MS = 15_000
const POLL_MS = 100

/** The groups are too old, and the provider gave no answer. */
export class SignInUnavailable extends Error {
  constructor() {
    super('The sign-in service does not answer, so the groups of this session cannot be checked. Retry in a moment.')
  }
}

type Outcome = 'confirmed' | 'ended' | 'unavailable' | 'busy'

export class ConfirmedSessions {
  readonly #sessions: CookieSessions
  readonly #provider: OpenIdProvider
  readonly #settings: OpenIdSettings
  readonly #now: () => number
  readonly #refused: (why: RefusedCredential) => void
  /** By the id of the session. */
  readonly #asking = new Map<string, Promise<Outcome>>()

  constructor(
    sessions: CookieSessions,
    provider: OpenIdProvider,
    settings: OpenIdSettings,
    now: () => number,
    refused: (why: RefusedCredential) => void,
  ) {
    this.#sessions = sessions
    this.#provider = provider
    this.#settings = settings
    this.#now = now
    this.#refused = refused
  }

  /** Throws `SignInUnavailable`. */
  async find(cookie: string): Promise<CookieSession | undefined> {
    for (let waited = 0; ;) {
      const found = await this.#sessions.find(cookie)
      if (!found) return undefined
      const age = this.#ageOf(found.session)
      if (age < this.#settings.groupsMaxAgeMs / 2) return found.session
      const asking = this.#ask(cookie, found)
      if (age < this.#settings.groupsMaxAgeMs) {
        // A failure here is not final: the next request asks again.
        asking.catch(() => {})
        return found.session
      }
      const outcome = await asking
      if (outcome === 'unavailable' || waited >= LONGEST_WAIT_MS) throw new SignInUnavailable()
      if (outcome !== 'busy') continue
      waited += POLL_MS
      await sleep(POLL_MS)
    }
  }

  #ageOf({ confirmedAt }: CookieSession): number {
    return confirmedAt === undefined ? 0 : this.#now() - confirmedAt
  }

  #ask(cookie: string, found: FoundSession): Promise<Outcome> {
    const { id } = found.session
    const known = this.#asking.get(id)
    if (known) return known
    const asking = this.#askOnce(cookie, found).finally(() => this.#asking.delete(id))
    this.#asking.set(id, asking)
    return asking
  }

  async #askOnce(cookie: string, { session, version }: FoundSession): Promise<Outcome> {
    const { attempt } = session
    if (attempt && attempt.until > this.#now()) return attempt.failed ? 'unavailable' : 'busy'
    const tokens = session.tokens === undefined ? {} : await openTokens(cookie, session.tokens)
    if (!this.#canAsk(tokens)) {
      if (this.#ageOf(session) < this.#settings.groupsMaxAgeMs) return 'unavailable'
      return this.#end(
        cookie,
        new RefusedSignIn('openid-ended', 'the access token expired, and there is no refresh token'),
      )
    }
    const started = { ...session, attempt: { until: this.#now() + ATTEMPT_MS } }
    const claimed = await this.#sessions.replace(cookie, started, version)
    if (claimed === undefined) return 'busy'
    try {
      return await this.#confirm(cookie, { session, version: claimed }, tokens)
    } catch (error) {
      if (!(error instanceof RefusedSignIn)) throw error
      if (error.reason !== 'openid-unreachable') return this.#end(cookie, error)
      this.#refused({ reason: error.reason, message: `Groups were not read again (${error.reason}): ${error.message}` })
      await this.#sessions.replace(cookie, { ...session, attempt: this.#failed() }, claimed)
      return 'unavailable'
    }
  }

  async #confirm(cookie: string, { session, version }: FoundSession, tokens: Asking): Promise<Outcome> {
    const { person } = session
    const { claims, renewal } = await this.#provider.renew(person.id, tokens.renewal)
    const sealed = await sealTokens(cookie, { ...tokens, renewal })
    if (!claims) {
      await this.#sessions.replace(cookie, { ...session, tokens: sealed, attempt: this.#failed() }, version)
      return 'unavailable'
    }
    const confirmed = personFrom(claims, this.#settings)
    if (confirmed.tenant !== person.tenant) throw new RefusedSignIn('openid-ended', 'the provider names another tenant')
    const name = person.name === undefined ? {} : { name: person.name }
    const { attempt: _over, ...rest } = session
    const renewed = { ...rest, person: { ...name, ...confirmed }, confirmedAt: this.#now(), tokens: sealed }
    await this.#sessions.replace(cookie, renewed, version)
    return 'confirmed'
  }

  #canAsk(tokens: SessionTokens): tokens is Asking {
    const { renewal } = tokens
    if (!renewal) return false
    return renewal.by === 'refresh-token' || (renewal.until ?? Infinity) > this.#now()
  }

  async #end(cookie: string, { reason, message }: RefusedSignIn): Promise<Outcome> {
    this.#refused({ reason, message: `A session was ended (${reason}): ${message}` })
    await this.#sessions.end(cookie)
    return 'ended'
  }

  #failed(): NonNullable<CookieSession['attempt']> {
    return { until: this.#now() + RETRY_MS, failed: true }
  }
}

type Asking = SessionTokens & Required<Pick<SessionTokens, 'renewal'>>
