/**
 * How the console signs in: with a key from the address (`#key=…`) or one that the user typed, kept for this tab; or, on
 * a developer's machine, with the code in the address that the gateway printed (`#code=…`), which works once; or with
 * the session of a person who signed in at an OpenID provider. A browser never sends the part after `#` to a server, and
 * the console removes it from the address at once.
 *
 * A key from the address is used only after the person agreed to it. Anyone can send a link, and a person who follows it
 * would otherwise write and approve in the tenant of the sender.
 */
import { useSyncExternalStore } from 'react'
import type { CallerRow } from '@holdpoint/client'
import { endSession, failureWords, findProvider, signedInPerson, type Provider } from './person-session.ts'

export type Session =
  | { readonly state: 'looking' }
  /** `open`: signed in with a code, on the user's own machine. */
  | { readonly state: 'in'; readonly token: () => Promise<string>; readonly open?: true; readonly person?: never }
  /** `person`: signed in at the provider. The browser sends the session in a cookie. */
  | { readonly state: 'in'; readonly person: CallerRow; readonly token?: never; readonly open?: never }
  | { readonly state: 'asking'; readonly why?: string | undefined; readonly provider?: Provider | undefined }
  /** A link had a key. `now`: the owner of the key that this tab already uses. */
  | { readonly state: 'offered'; readonly key: string; readonly caller: CallerRow; readonly now?: CallerRow }

/** Session storage: a key that the user typed or agreed to. */
const TAB_KEY = 'holdpoint.key'
/** Local storage: the key that the gateway gave for a code. */
const BROWSER_KEY = 'holdpoint.console'
let session: Session = { state: 'looking' }
const listeners = new Set<() => void>()

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}

export async function startSession(): Promise<void> {
  const [key, code, failure] = [fromAddress('key'), fromAddress('code'), fromAddress('sign-in')]
  if (key === undefined && code === undefined && failure === undefined) return resume()
  history.replaceState(null, '', location.pathname + location.search)
  if (failure !== undefined) return resume(failureWords(failure))
  return code === undefined ? offerKey(key ?? '') : redeem(code)
}

/** For instance, the browser does not let this page use storage. */
export function showStartError(error: unknown): void {
  setSession({ state: 'asking', why: error instanceof Error ? error.message : String(error) })
}

/** Opening an address that differs only after `#` does not load the page again. */
addEventListener('hashchange', () => {
  if ((fromAddress('key') ?? fromAddress('code')) !== undefined) startSession().catch(showStartError)
})

async function offerKey(key: string): Promise<void> {
  const kept = sessionStorage.getItem(TAB_KEY)
  if (key === kept) return resume()
  const [caller, now] = await Promise.all([callerOf(key), kept === null ? personHere() : callerOf(kept)])
  if (typeof caller === 'string') return resume(caller)
  setSession({ state: 'offered', key, caller, ...(typeof now === 'object' && { now }) })
}

/** Exchanges the code for a key, which all tabs of this browser use. */
async function redeem(code: string): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) }
  const answer = await fetch('/api/console/session', init).catch(() => undefined)
  if (answer?.ok) {
    localStorage.setItem(BROWSER_KEY, ((await answer.json()) as { readonly key: string }).key)
    sessionStorage.removeItem(TAB_KEY)
  }
  return resume(
    answer?.ok
      ? undefined
      : 'The code in this address was already used, or the gateway was restarted since it was printed.',
  )
}

/** Signs in with the key or the session that the browser has, ignoring a link. `why` is shown if it has none. */
export async function resume(why?: string): Promise<void> {
  const kept = sessionStorage.getItem(TAB_KEY)
  if (kept !== null) return setSession({ state: 'in', token: async () => kept })
  const open = localStorage.getItem(BROWSER_KEY)
  if (open !== null && typeof (await callerOf(open)) === 'object')
    return setSession({ state: 'in', token: async () => open, open: true })
  const person = await personHere()
  return person ? setSession({ state: 'in', person }) : showSignIn(why)
}

async function personHere(): Promise<CallerRow | undefined> {
  return (await findProvider()) && signedInPerson()
}

/** Shows the sign-in screen. */
async function showSignIn(why?: string): Promise<void> {
  setSession({ state: 'asking', why, provider: await findProvider() })
}

/** For requests with the session cookie: the first one that is refused shows the sign-in screen, on the same page. */
export async function fetchInSession(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init)
  if (answer.status === 401 && session.state === 'in' && session.person) await showSignIn(SESSION_ENDED)
  return answer
}

const SESSION_ENDED = 'Your session has ended. Sign in again to continue on this page.'

/**
 * Another tab may sign out, or sign in another person: the cookie is shared. A tab must not show one person and write as
 * another, so it asks again when the user returns to it.
 */
addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void checkPerson().catch(() => undefined)
})

async function checkPerson(): Promise<void> {
  if (session.state !== 'in' || !session.person) return
  const { person: before } = session
  const person = await signedInPerson()
  if (!person) return showSignIn(SESSION_ENDED)
  if (person.by !== before.by || person.tenant !== before.tenant) setSession({ state: 'in', person })
}

/** Ends the session of the person, here and at the provider. */
export async function signOut(): Promise<void> {
  const to = await endSession()
  if (to !== undefined) return location.assign(to)
  await showSignIn('You are signed out.')
}

/** Signs in with a key that the user typed or agreed to, if the gateway accepts it. */
export async function signInWithKey(key: string): Promise<void> {
  const caller = await callerOf(key)
  if (typeof caller === 'string') return showSignIn(caller)
  sessionStorage.setItem(TAB_KEY, key)
  setSession({ state: 'in', token: async () => key })
}

/** The owner of the key, or why the key does not work. */
async function callerOf(key: string): Promise<CallerRow | string> {
  try {
    const answer = await fetch('/api/me', { headers: { authorization: `Bearer ${key}` } })
    return answer.ok ? ((await answer.json()) as CallerRow) : 'This gateway does not accept this key.'
  } catch {
    // The key has characters that a header cannot have, or the gateway did not answer.
    return /^[\x21-\x7e]+$/.test(key) ? 'The gateway does not answer.' : 'This gateway does not accept this key.'
  }
}

function fromAddress(name: 'key' | 'code' | 'sign-in'): string | undefined {
  const encoded = new RegExp(`(?:^#|&)${name}=([^&]+)`).exec(location.hash)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

/** Removes the key from this tab and this browser. */
export async function forgetKey(): Promise<void> {
  sessionStorage.removeItem(TAB_KEY)
  localStorage.removeItem(BROWSER_KEY)
  await resume()
}

function setSession(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}
