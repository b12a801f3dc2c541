import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIsolation } from '../../test/kit/check-isolation.ts'
import * as account from './app/account/route.ts'
import * as api from './app/api/[...path]/route.ts'
import * as login from './app/login/route.ts'
import * as logout from './app/logout/route.ts'
import { assistant } from './lib/assistant.ts'

const folder = mkdtempSync(join(tmpdir(), 'embed-next-'))
process.env['STORE'] = join(folder, 'assistant.db')

/** Finds a route handler as the App Router does: an exact path before a catch-all, then the export of the method. */
type Handlers = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>
const routes: readonly (readonly [pattern: RegExp, handlers: Handlers])[] = [
  [/^\/login$/, login],
  [/^\/logout$/, logout],
  [/^\/account$/, account],
  [/^\/api\/.+$/, api],
]
const origin = 'http://localhost'
const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const request = new Request(origin + path, init)
  const [, handlers] = routes.find(([pattern]) => pattern.test(new URL(request.url).pathname)) ?? []
  return (await handlers?.[request.method]?.(request)) ?? new Response(null, { status: 404 })
}

await checkIsolation({ origin, prefix: '', call })
assert.equal((await call('/nothing')).status, 404)

const opened = await assistant()
await opened.gateway.close()
await opened.runtime.close()
await opened.store.close()
rmSync(folder, { recursive: true })
