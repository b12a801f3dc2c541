/**
 * The session of a person who signed in with OpenID Connect. It is in a cookie that scripts cannot read: the console asks
 * the gateway whether there is one, and for whom.
 */
import type { CallerRow } from '@holdpoint/client'

export interface Provider {
  readonly name: string
}

/** The provider that people sign in with; undefined when this gateway has none. */
export async function findProvider(): Promise<Provider | undefined> {
  const answer = await fetch('/api/console/sign-in').catch(() => undefined)
  if (!answer?.ok) return undefined
  return ((await answer.json()) as { readonly openId?: Provider }).openId
}

/** Undefined when no one is signed in. Throws when the gateway does not answer. */
export async function signedInPerson(): Promise<CallerRow | undefined> {
  const answer = await fetch('/api/me')
  return answer.ok ? ((await answer.json()) as CallerRow) : undefined
}

/** Goes to the provider, and comes back to this page. */
export function goToSignIn(): void {
  location.assign(`/auth/sign-in?return=${encodeURIComponent(location.pathname + location.search)}`)
}

/** Returns the page of the provider that ends its own session too. */
export async function endSession(): Promise<string | undefined> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  const answer = await fetch('/auth/sign-out', init)
  if (!answer.ok) throw new Error('The gateway did not end the session.')
  return ((await answer.json()) as { readonly to?: string }).to
}

/** What a person can do about a sign-in that failed. The operator finds the reason in the log. */
const FAILURES: Readonly<Record<string, string>> = {
  'no-access': 'You have no access to this gateway. Ask its operator to add you to a group that has.',
  unavailable: 'The sign-in service does not answer. Try again in a moment.',
}

export function failureWords(failure: string): string {
  return FAILURES[failure] ?? 'The sign-in did not succeed. Try again, or ask the operator of this gateway.'
}
