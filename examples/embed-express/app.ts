/** An Express application with a login of its own, and an assistant for its users. */
import express from 'express'
import { gateway, nodeHandler } from '@holdpoint/gateway'
import { holdpoint, openStore } from 'holdpoint'
import { agents } from './assistant.ts'
import { logIn, logOut, userOf } from './login.ts'

export const app = express()
app.use(express.json())
app.post('/login', (request, response) => {
  const { id, password } = request.body as Record<string, unknown>
  const cookie = logIn(id, password)
  if (cookie === undefined) return void response.sendStatus(401)
  response.setHeader('set-cookie', cookie).sendStatus(204)
})
app.post('/logout', (request, response) => {
  logOut(request.headers.cookie)
  response.sendStatus(204)
})
app.get('/account', (request, response) => void response.json(userOf(request.headers.cookie) ?? null))

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
app.use('/assistant', nodeHandler(assistant))
// #endregion

export async function close(): Promise<void> {
  await assistant.close()
  await runtime.close()
  await store.close()
}
