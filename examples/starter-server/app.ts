/**
 * What the starters of assistant-ui and CopilotKit talk to: a gateway with a login of the application's own, the built pages of the
 * starter at `/app/`, and the console for the others at `/`.
 */
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { gateway, siteFromFolder } from '@holdpoint/gateway'
import { holdpoint, openStore } from 'holdpoint'
import { agents } from './assistant.ts'

export interface StarterServer {
  readonly app: Hono
  close(): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export interface StarterServerOptions {
  /** The folder with the built pages. */
  readonly pages: string
  /** The folder with the built console, if there is one. */
  readonly console?: string | undefined
  /** Signs another person in to the console. */
  readonly consoleKey: string
  readonly store: string
}

export async function starterServer({
  pages,
  console: site,
  consoleKey,
  store: file,
}: StarterServerOptions): Promise<StarterServer> {
  const store = await openStore(file)
  const runtime = await holdpoint({ store, agents })
  const api = gateway({
    runtime,
    store,
    agents,
    hosts: ['localhost', '127.0.0.1'],
    ...(site !== undefined && { site: siteFromFolder(site) }),
    // Anyone may decide here, so that a second window can be another person.
    authorize: () => true,
    auth: {
      keys: [{ key: consoleKey, scopes: ['admin', 'agent', 'reader', 'resolver'] }],
      authenticate: ({ headers }) => {
        const user = /(?:^|;\s*)user=(\w{1,40})/.exec(headers.get('cookie') ?? '')?.[1]
        return user === undefined ? undefined : { id: user, name: user, scopes: ['agent', 'reader', 'resolver'] }
      },
    },
  })
  const app = new Hono()
  // In the place of a real login.
  app.get('/login/:name', (c) => {
    setCookie(c, 'user', c.req.param('name'), { httpOnly: true, sameSite: 'Strict', path: '/' })
    return c.redirect('/app/')
  })
  app.get('/app/*', async (c) => {
    if (getCookie(c, 'user') === undefined) return c.redirect('/login/ada')
    const path = normalize(c.req.path.slice('/app/'.length))
    const name = path === '' || path === '.' ? 'index.html' : path
    if (name.startsWith('..')) return c.body(null, 404)
    const text = await readFile(join(pages, name)).catch(() => undefined)
    if (!text) return c.body(null, 404)
    return c.body(new Uint8Array(text), 200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' })
  })
  app.all('*', (c) => api.fetch(c.req.raw))
  return {
    app,
    close: async () => {
      await api.close()
      await runtime.close()
      await store.close()
    },
  }
}
