import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
// #region program
import { spawnSync } from 'node:child_process'
import { agent, holdpoint, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const sendEmail = tool({
  name: 'email.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.email(), body: z.string() }),
  approval: ({ input: { to } }) => ({ required: !to.endsWith('@acme.test'), reason: `${to} is outside the company` }),
  run: ({ input }) => `sent to ${input.to}`, // a real one hands on call.id as its idempotency key
})
const wanted = { calls: [{ name: 'email.send', input: { to: 'ada@example.org', body: 'The report is ready.' } }] }
const model = scriptedModel([({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'Ada knows.' : wanted)])

const [, , inChild] = process.argv
const file = inChild ?? join(mkdtempSync(join(tmpdir(), 'readme-')), 'desk.db')
const hp = await holdpoint({ store: file, agents: [agent({ name: 'desk', model, tools: [sendEmail] })] })

if (inChild !== undefined) {
  const { status, holds } = await hp.send('c1', 'Tell Ada the report is ready')
  for (const { name, reason } of holds) console.log(`${status}: ${name}, because ${reason}`)
  process.kill(process.pid, 'SIGKILL') // no goodbye
}
spawnSync(process.execPath, [...process.execArgv, import.meta.filename, file], { stdio: 'inherit' })

for (const { conversationId, callId } of (await hp.pending()).items) {
  console.log('Grace approves:', (await hp.approve(conversationId, callId, { by: 'grace' })).verdict)
  console.log('Bob rejects:', (await hp.reject(conversationId, callId, 'Too early', { by: 'bob' })).message)
}
const last = await hp.continue('c1')
console.log(`${last.status}: ${last.text}`)
await hp.close()
// #endregion
assert.equal(last.status, 'done')
assert.match(JSON.stringify(last.steps[0]?.calls[0]?.outcome), /sent to ada@example.org/)
rmSync(dirname(file), { recursive: true })
