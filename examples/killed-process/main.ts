import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const start = process.cwd()
const folder = process.argv[2] === 'child' ? start : mkdtempSync(join(tmpdir(), 'killed-process-'))
process.chdir(folder)
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
  run: ({ input }) => `sent to ${input.to}`, // a real tool passes call.id on as the idempotency key
})
const email = { name: 'email.send', input: { to: 'ada@example.org', body: 'The report is ready.' } }
const model = scriptedModel(({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'I have told Ada.' : { calls: [email] }))

const hp = await holdpoint({ store: 'desk.db', agents: [agent({ name: 'desk', model, tools: [sendEmail] })] })

if (process.argv[2] === 'child') {
  const { status, holds } = await hp.send('c1', 'Tell Ada the report is ready')
  for (const { name, reason } of holds) console.log(`${status}: ${name}, because ${reason}`)
  process.kill(process.pid, 'SIGKILL') // nothing is cleaned up
}
spawnSync(process.execPath, [...process.execArgv, import.meta.filename, 'child'], { stdio: 'inherit' })

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
process.chdir(start)
rmSync(folder, { recursive: true })
