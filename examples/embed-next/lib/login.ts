/** The login that the application has already: two users with passwords, and a session cookie. */
import { randomUUID } from 'node:crypto'

export interface User {
  readonly id: string
  readonly name: string
}

const users: readonly (User & { readonly password: string })[] = [
  { id: 'ada', name: 'Ada', password: 'lovelace' },
  { id: 'ben', name: 'Ben', password: 'franklin' },
]
const sessions = new Map<string, User>()

/** The `Set-Cookie` header of a new session; undefined for a wrong password. */
export function logIn(id: unknown, password: unknown): string | undefined {
  const user = users.find((each) => each.id === id && each.password === password)
  if (!user) return undefined
  const sid = randomUUID()
  sessions.set(sid, { id: user.id, name: user.name })
  return `sid=${sid}; Path=/; HttpOnly; SameSite=Lax`
}

export function logOut(cookies: string | null | undefined): void {
  sessions.delete(sidOf(cookies))
}

/** The user whose session cookie is in a `Cookie` header. */
export function userOf(cookies: string | null | undefined): User | undefined {
  return sessions.get(sidOf(cookies))
}

function sidOf(cookies: string | null | undefined): string {
  return /(?:^|;\s*)sid=([\w-]+)/.exec(cookies ?? '')?.[1] ?? ''
}
