/**
 * Sign-in of people by OpenID Connect, for pages of the gateway's own origin.
 *
 *     /auth/sign-in  → provider, with state, nonce and PKCE     the record of it is in a cookie of this browser
 *     provider       → /auth/callback, with a code              checked against the record, exchanged for claims
 *     /auth/callback → the page that was open, with a session   a new random id in a cookie
 *
 * A browser sends a cookie with requests that a page of another site makes, so a request with a cookie may write only when
 * its Origin header is this gateway's own.
 */
import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from 'oauth4webapi'
import { messageOf } from '@holdpoint/core'
import type { DocumentStore } from '../document-store.ts'
import type { Caller } from './caller.ts'
import { ConfirmedSessions, SignInUnavailable } from './confirmed-sessions.ts'
import { callerOfSession, newCookie, type CookieSessions } from './cookie-sessions.ts'
import { cookieName, cookieOf, removeCookie, setCookie } from './cookies.ts'
import { personFrom } from './openid-claims.ts'
import type { OpenIdSettings } from './openid-options.ts'
import { OpenIdProvider, type Authenticated } from './openid-provider.ts'
import { RefusedSignIn } from './refused-sign-in.ts'
import { openTokens, sealTokens } from './session-tokens.ts'
import { SIGN_IN_MS, SignInRecords } from './sign-in-records.ts'
import type { RefusedCredential } from './tokens.ts'

/** What the sign-in screen tells the person. It never contains the reason. */
export type SignInFailure = 'failed' | 'no-access' | 'unavailable'

export type SignInStep =
  /** `cookies`: to set with the redirect. */
  | { readonly to: string; readonly cookies: readonly string[] }
  /** `returnTo`: the page on which the failure is shown. */
  | { readonly failure: SignInFailure; readonly returnTo: string }

const MAX_RETURN_TO = 2000
/** A longer ID token would not fit into the URL of the provider's sign-out page. */
const MAX_ID_TOKEN = 4000

export class SignIn {
  readonly name: string
  readonly #settings: OpenIdSettings
  readonly #provider: OpenIdProvider
  readonly #records: SignInRecords
  readonly #sessions: CookieSessions
  readonly #confirmed: ConfirmedSessions
  readonly #now: () => number
  readonly #refused: (why: RefusedCredential) => void

  constructor(
    settings: OpenIdSettings,
    documents: DocumentStore,
    sessions: CookieSessions,
    now: () => number,
    refused: (why: RefusedCredential) => void,
  ) {
    this.name = settings.name
    this.#settings = settings
    this.#provider = new OpenIdProvider(settings, now)
    this.#records = new SignInRecords(documents, now)
    this.#sessions = sessions
    this.#confirmed = new ConfirmedSessions(sessions, this.#provider, settings, now, refused)
    this.#now = now
    this.#refused = refused
  }

  /** Redirects to the provider. `returnTo`: the page to open after the sign-in. */
  async begin(request: Request, returnTo: string | undefined): Promise<SignInStep> {
    const origin = this.#originOf(request)
    const page = localPath(returnTo, origin)
    const record = {
      state: generateRandomState(),
      nonce: generateRandomNonce(),
      verifier: generateRandomCodeVerifier(),
      returnTo: page,
    }
    try {
      const to = await this.#provider.authorizationUrl(record, callbackOf(origin))
      const cookie = setCookie(recordCookie(origin), await this.#records.seal(record), SIGN_IN_MS)
      return { to: to.href, cookies: [cookie] }
    } catch (error) {
      return { failure: this.#failureOf(error), returnTo: page }
    }
  }

  /** Handles the callback: signs the person in, or logs why not. */
  async finish(request: Request): Promise<SignInStep> {
    const origin = this.#originOf(request)
    const sealed = cookieOf(request, recordCookie(origin))
    const record = sealed === undefined ? undefined : await this.#records.open(sealed)
    try {
      if (!record)
        throw new RefusedSignIn(
          'openid-state',
          sealed === undefined
            ? `this browser did not start a sign-in here: it sent no cookie. Browsers must open the gateway at ${origin}`
            : 'this browser started its sign-in too long ago, or its cookie was changed',
        )
      const callback = new URL(request.url).searchParams
      const authenticated = await this.#provider.authenticate(callback, record, callbackOf(origin))
      const cookie = await this.#startSession(authenticated, request.headers.get('user-agent') ?? '')
      await this.#endSessionOf(request)
      return {
        to: record.returnTo,
        cookies: [
          setCookie(sessionCookie(origin), cookie, this.#settings.sessionMs),
          removeCookie(recordCookie(origin)),
        ],
      }
    } catch (error) {
      return { failure: this.#failureOf(error), returnTo: record?.returnTo ?? '/' }
    }
  }

  /** Ends the session. `to`: the page of the provider that ends the provider's session too. */
  async signOut(request: Request): Promise<{ readonly to?: string; readonly cookies: readonly string[] }> {
    const origin = this.#originOf(request)
    const ended = await this.#endSessionOf(request)
    // The session here has ended, also when the provider cannot be reached.
    const to = ended && (await this.#provider.signOutUrl(ended.idToken, `${origin}/`).catch(() => undefined))
    return { cookies: [removeCookie(sessionCookie(origin))], ...(to && { to: to.href }) }
  }

  /** The session's cookie. Authenticate it with `callerOf`. */
  sessionOf(request: Request): string | undefined {
    return cookieOf(request, sessionCookie(this.#originOf(request)))
  }

  /** Throws `SignInUnavailable` when the groups are too old and the provider does not answer. */
  async callerOf(cookie: string): Promise<Caller | undefined> {
    const session = await this.#confirmed.find(cookie)
    if (!session)
      this.#refused({
        reason: 'session-ended',
        message: 'A session was refused (session-ended): it has expired, was signed out, or never existed',
      })
    return session && callerOfSession(session)
  }

  /** Like `callerOf`, for a stream that is open. Writes no log line. Undefined too when the groups are too old. */
  async stillCallerOf(cookie: string): Promise<Caller | undefined> {
    try {
      const session = await this.#confirmed.find(cookie)
      return session && callerOfSession(session)
    } catch (error) {
      if (error instanceof SignInUnavailable) return undefined
      throw error
    }
  }

  /** The browser sets the Origin header, and a page of another site cannot change it. */
  isSameOrigin(request: Request): boolean {
    return request.headers.get('origin') === this.#originOf(request)
  }

  /** Returns the new cookie. A value that the browser had before is never used: another person may have set it. */
  async #startSession({ claims, idToken, renewal }: Authenticated, browser: string): Promise<string> {
    const person = personFrom(claims, this.#settings)
    const { sessionMs, groupsMaxAgeMs } = this.#settings
    const [cookie, now] = [newCookie(), this.#now()]
    // Groups that cannot be read again end the session, so that `expiresAt` must say so.
    const confirmedUntil = renewal?.by === 'userinfo' ? (renewal.until ?? Infinity) + groupsMaxAgeMs : Infinity
    const kept = idToken !== undefined && idToken.length <= MAX_ID_TOKEN && { idToken }
    await this.#sessions.create(cookie, {
      person,
      browser,
      expiresAt: Math.min(now + sessionMs, confirmedUntil),
      ...(renewal && { confirmedAt: now }),
      tokens: await sealTokens(cookie, { ...kept, ...(renewal && { renewal }) }),
    })
    return cookie
  }

  async #endSessionOf(request: Request): Promise<{ readonly idToken?: string } | undefined> {
    const cookie = this.sessionOf(request)
    const ended = cookie === undefined ? undefined : await this.#sessions.end(cookie)
    if (cookie === undefined || !ended) return undefined
    return ended.tokens === undefined ? {} : openTokens(cookie, ended.tokens)
  }

  /** Without a configured URL, the gateway serves loopback only: the Host header was checked against that list. */
  #originOf(request: Request): string {
    const { protocol, host } = new URL(request.url)
    return this.#settings.origin ?? `${protocol}//${request.headers.get('host') ?? host}`
  }

  #failureOf(error: unknown): SignInFailure {
    if (!(error instanceof RefusedSignIn)) throw error
    const { reason } = error
    this.#refused({ reason, message: `A sign-in was refused (${reason}): ${messageOf(error)}` })
    return reason === 'openid-scope' ? 'no-access' : reason === 'openid-unreachable' ? 'unavailable' : 'failed'
  }
}

function callbackOf(origin: string): string {
  return `${origin}/auth/callback`
}

function recordCookie(origin: string): string {
  return cookieName('holdpoint-sign-in', origin)
}

function sessionCookie(origin: string): string {
  return cookieName('holdpoint-session', origin)
}

/**
 * A path on this origin, for the redirect after the sign-in. A URL of another site must not pass, in any form:
 * `//evil.test`, `/\evil.test`, `https:evil.test`.
 */
export function localPath(given: string | undefined, origin: string): string {
  if (given === undefined || given.length > MAX_RETURN_TO || !given.startsWith('/')) return '/'
  const url = URL.canParse(given, origin) ? new URL(given, origin) : undefined
  if (url?.origin !== origin || /^\/(?:api|auth)(?:\/|$)/.test(url.pathname)) return '/'
  // The parsed path may itself start with two slashes: `/.//evil.test`.
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}`
}
