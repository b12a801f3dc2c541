/**
 * How the console gets in: with a key from the address (`#key=…`) or one that was typed, kept for this tab; or, on a
 * developer's machine, with the code in the address that the gateway printed (`#code=…`), which is good once. What stands
 * behind `#` is never sent to a server, and is taken out of the address at once.
 *
 * A key from the address is used only after the person agreed to it. Anyone can send a link, and a person who follows it
 * would otherwise write and approve in the tenant of the sender.
 */
import { useSyncExternalStore } from 'react'
import type { CallerRow } from '@holdpoint/client'

export type Session =
  | { readonly state: 'looking' }
  /** `open`: let in by a code, on the machine of the person who sits here. */
  | { readonly state: 'in'; readonly token: () => Promise<string>; readonly open?: true }
  | { readonly state: 'asking'; readonly why?: string }
  /** A link brought a key. `now`: whose key the tab has already. */
  | { readonly state: 'offered'; readonly key: string; readonly caller: CallerRow; readonly now?: CallerRow }

/** In this tab: a key that the person typed or agreed to. */
const KEPT = 'holdpoint.key'
/** In this browser: the key for a code. */
const OPEN = 'holdpoint.console'
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

export async function begin(): Promise<void> {
  const [key, code] = [fromAddress('key'), fromAddress('code')]
  if (key === undefined && code === undefined) return resume()
  history.replaceState(null, '', location.pathname + location.search)
  return code === undefined ? consider(key ?? '') : redeem(code)
}

/** A browser that keeps nothing for this page, for instance. */
export function couldNotBegin(error: unknown): void {
  become({ state: 'asking', why: error instanceof Error ? error.message : String(error) })
}

/** An address with a key or a code that is opened in this tab loads no page. */
addEventListener('hashchange', () => {
  if ((fromAddress('key') ?? fromAddress('code')) !== undefined) begin().catch(couldNotBegin)
})

async function consider(key: string): Promise<void> {
  const kept = sessionStorage.getItem(KEPT)
  if (key === kept) return resume()
  const [caller, now] = await Promise.all([callerOf(key), kept === null ? undefined : callerOf(kept)])
  if (typeof caller === 'string') return kept === null ? become({ state: 'asking', why: caller }) : resume()
  become({ state: 'offered', key, caller, ...(typeof now === 'object' && { now }) })
}

/** In exchange for the code there is a key, which all tabs of this browser use. */
async function redeem(code: string): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) }
  const answer = await fetch('/api/console/session', init).catch(() => undefined)
  if (answer?.ok) {
    localStorage.setItem(OPEN, ((await answer.json()) as { readonly key: string }).key)
    sessionStorage.removeItem(KEPT)
  }
  return resume(answer?.ok ? undefined : 'The code of that address was used already, or is of an earlier start.')
}

/** As if no link had brought anything. `why`: for a tab that has no key. */
export async function resume(why?: string): Promise<void> {
  const kept = sessionStorage.getItem(KEPT)
  if (kept !== null) return become({ state: 'in', token: async () => kept })
  const open = localStorage.getItem(OPEN)
  if (open !== null && typeof (await callerOf(open)) === 'object')
    return become({ state: 'in', token: async () => open, open: true })
  become({ state: 'asking', ...(why !== undefined && { why }) })
}

/** With a key that the person typed or agreed to, if it is good. */
export async function enter(key: string): Promise<void> {
  const caller = await callerOf(key)
  if (typeof caller === 'string') return become({ state: 'asking', why: caller })
  sessionStorage.setItem(KEPT, key)
  become({ state: 'in', token: async () => key })
}

/** Whose key it is, or why it is of no use. */
async function callerOf(key: string): Promise<CallerRow | string> {
  try {
    const answer = await fetch('/api/me', { headers: { authorization: `Bearer ${key}` } })
    return answer.ok ? ((await answer.json()) as CallerRow) : 'That key is not good here.'
  } catch {
    // A header cannot carry it, or there was no answer.
    return /^[\x21-\x7e]+$/.test(key) ? 'The gateway does not answer.' : 'That key is not good here.'
  }
}

function fromAddress(name: 'key' | 'code'): string | undefined {
  const encoded = new RegExp(`(?:^#|&)${name}=([^&]+)`).exec(location.hash)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

export function leave(): void {
  sessionStorage.removeItem(KEPT)
  localStorage.removeItem(OPEN)
  become({ state: 'asking' })
}

function become(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}
