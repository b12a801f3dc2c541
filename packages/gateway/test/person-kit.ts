/** A gateway whose people have tokens. */
import { SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { kit, type Kit, type KitOptions, type KitResponse } from './kit.ts'

const secret = 'a secret that is long enough for HS256'

export type Ask = (method: string, path: string, body?: unknown) => Promise<KitResponse>

export interface PersonKit extends Kit {
  /** Requests by a person, with a token of their own. */
  person(sub: string, scope?: string): Promise<Ask>
}

export async function personKit(options: KitOptions = {}): Promise<PersonKit> {
  const here = await kit({ auth: { tokens: { secret } }, ...options })
  onTestFinished(here.close)
  return {
    ...here,
    person: async (sub, scope = 'agent reader') => {
      const token = await new SignJWT({ sub, scope, tenant: 'acme' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1m')
        .sign(new TextEncoder().encode(secret))
      const headers = { authorization: `Bearer ${token}` }
      return (method, path, body) => here.ask(method, path, { as: 'anonymous', body, headers })
    },
  }
}
