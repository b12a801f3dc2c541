/** A Hono application with its own login, whose chat is a Holdpoint conversation. */
import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { toUIMessageStreamResponse } from '@holdpoint/ai-sdk'
import { holdpoint, openStore } from 'holdpoint'
import { agents } from './assistant.ts'
import { bundledPage } from './bundled-page.ts'

const store = await openStore(process.env['STORE'] ?? 'assistant.db')
const runtime = await holdpoint({ store, agents })
const page = await bundledPage()

export const app = new Hono()
// In the place of a real login.
app.get('/login/:name', (c) => {
  setCookie(c, 'user', c.req.param('name'), { httpOnly: true, sameSite: 'Strict' })
  return c.redirect('/')
})

// #region routes
app.all('/api/chat/*', async (c) => {
  const user = getCookie(c, 'user') // your own login
  if (user === undefined) return c.body(null, 401)
  return toUIMessageStreamResponse(runtime, c.req.raw, { by: { id: user, kind: 'person' }, store })
})
// #endregion

// Another person answers in a page of theirs, which needs no chat: an inbox, Slack, the console.
app.post('/inbox/:conversation/:decision', async (c) => {
  const { conversation, decision } = c.req.param()
  const user = getCookie(c, 'user')
  const [hold] = (await runtime.pending({ conversationId: conversation })).items
  if (user === undefined || !hold) return c.body(null, 404)
  const by = { id: user, kind: 'person' } as const
  const { conversationId, callId } = hold
  return c.json(
    decision === 'approve'
      ? await runtime.approve(conversationId, callId, { by })
      : await runtime.reject(conversationId, callId, 'no', { by }),
  )
})

app.get('/page.js', (c) => c.body(page, 200, { 'content-type': 'text/javascript' }))
const style = await readFile(new URL('page.css', import.meta.url), 'utf8')
app.get('/', (c) =>
  c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title><style>${style}</style><div id="root"></div><script type="module" src="/page.js"></script></html>`,
  ),
)
