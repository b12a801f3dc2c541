/**
 * How the console gets in: with a key from the address (`#key=…`, which is never sent to a server and is taken out of the
 * address at once), one that was typed, or one that the gateway hands out on a developer's machine. Kept for this tab.
 */
import { useSyncExternalStore } from 'react'

export type Session =
  | { readonly state: 'looking' }
  /** `open`: let in without a key, on the machine of whoever sits here. */
  | { readonly state: 'in'; readonly token: () => Promise<string>; readonly open?: true }
  | { readonly state: 'asking'; readonly why?: string }

const KEPT = 'holdpoint.key'
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
  const fromAddress = /(?:^#|&)key=([^&]+)/.exec(location.hash)?.[1]
  if (fromAddress !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    return enter(decodeURIComponent(fromAddress))
  }
  const kept = sessionStorage.getItem(KEPT)
  if (kept !== null) return become({ state: 'in', token: async () => kept })
  const handed = await askForKey()
  become(handed ? { state: 'in', token: tokens(handed), open: true } : { state: 'asking' })
}

/** With a key that somebody typed, if it is good. */
export async function enter(key: string): Promise<void> {
  const answer = await fetch('/api/holds?limit=1', { headers: { authorization: `Bearer ${key}` } }).catch(
    () => undefined,
  )
  if (answer?.ok) {
    sessionStorage.setItem(KEPT, key)
    return become({ state: 'in', token: async () => key })
  }
  const why = answer ? 'That key is not good here.' : 'The gateway does not answer.'
  become({ state: 'asking', why })
}

export function leave(): void {
  sessionStorage.removeItem(KEPT)
  become({ state: 'asking' })
}

interface Handed {
  readonly key: string
  readonly expiresAt: number
}

async function askForKey(): Promise<Handed | undefined> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  const answer = await fetch('/api/console/session', init).catch(() => undefined)
  return answer?.ok ? ((await answer.json()) as Handed) : undefined
}

/** Asked for anew shortly before it runs out. */
function tokens(first: Handed): () => Promise<string> {
  let now = first
  return async () => {
    if (now.expiresAt - Date.now() < 60_000) now = (await askForKey()) ?? now
    return now.key
  }
}

function become(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}
