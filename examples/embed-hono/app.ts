/** A Hono application with a login of its own, and an assistant for its users. */
import { Hono } from 'hono'
import { mount } from 'hono/mount'
import { gateway } from '@holdpoint/gateway'
import { holdpoint, openStore } from 'holdpoint'
import { agents } from './assistant.ts'
import { logIn, logOut, userOf } from './login.ts'

export const app = new Hono()
app.post('/login', async (c) => {
  const { id, password } = (await c.req.json()) as Record<string, unknown>
  const cookie = logIn(id, password)
  return cookie === undefined ? c.body(null, 401) : c.body(null, 204, { 'set-cookie': cookie })
})
app.post('/logout', (c) => {
  logOut(c.req.header('cookie'))
  return c.body(null, 204)
})
app.get('/account', (c) => c.json(userOf(c.req.header('cookie')) ?? null))

// #region embed
const store = await openStore(process.env['STORE'] ?? 'assistant.db')
const runtime = await holdpoint({ store, agents })
const assistant = gateway({
  runtime,
  store,
  agents,
  hosts: ['localhost'], // your own host names
  auth: { authenticate: ({ headers }) => userOf(headers.get('cookie')) }, // { id: 'ada', name: 'Ada' }, or undefined
})
app.all('/assistant/*', mount(assistant.fetch))
// #endregion

export async function close(): Promise<void> {
  await assistant.close()
  await runtime.close()
  await store.close()
}
