/** Settings kept in this browser: the name for messages and answers, and the theme. */
import { useSyncExternalStore } from 'react'
import { useSession } from './session.ts'

export interface Preferences {
  readonly name: string
  readonly theme: 'system' | 'light' | 'dark'
}

const KEY = 'holdpoint.preferences'
const listeners = new Set<() => void>()
let preferences = read()

function read(): Preferences {
  const first: Preferences = { name: '', theme: 'system' }
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    if (typeof kept !== 'object' || kept === null) return first
    const { name, theme } = kept as Partial<Record<string, unknown>>
    return {
      name: typeof name === 'string' ? name : '',
      theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    }
  } catch {
    return first
  }
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => preferences)
}

/**
 * The author of messages and answers: the person who signed in; with a key, the name in the settings, `you` on the user's
 * own machine, otherwise the key.
 */
export function useBy(): string | undefined {
  const { name } = usePreferences()
  const session = useSession()
  if (session.state === 'in' && session.person) return session.person.by
  if (name !== '') return name
  return session.state === 'in' && session.open ? 'you' : undefined
}

export function setPreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change }
  localStorage.setItem(KEY, JSON.stringify(preferences))
  showTheme()
  for (const listener of listeners) listener()
}

const dark = matchMedia('(prefers-color-scheme: dark)')

export function showTheme(): void {
  const { theme } = preferences
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'system' && dark.matches))
}

dark.addEventListener('change', showTheme)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
