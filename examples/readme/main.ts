import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const start = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'readme-'))
process.chdir(folder)
// #region program
import { agent, holdpoint, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const sendEmail = tool({
  name: 'email.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.email(), body: z.string() }),
  approval: ({ input: { to } }) => ({ required: !to.endsWith('@acme.test'), reason: `${to} is outside the company` }),
  run: ({ input }) => `sent to ${input.to}`,
})
const email = { name: 'email.send', input: { to: 'ada@example.org', body: 'The report is ready.' } }
const model = scriptedModel([{ calls: [email] }, 'I have told Ada.'])

const hp = await holdpoint({ store: 'desk.db', agents: [agent({ name: 'desk', model, tools: [sendEmail] })] })

const { status, holds } = await hp.send('c1', 'Tell Ada the report is ready')
for (const { callId, name, reason } of holds) {
  console.log(`${status}: ${name}, because ${reason}`)
  console.log('Grace approves:', (await hp.approve('c1', callId, { by: 'grace' })).verdict)
  console.log('Bob rejects:', (await hp.reject('c1', callId, 'Too early', { by: 'bob' })).message)
}
const last = await hp.continue('c1')
console.log(`${last.status}: ${last.text}`)
await hp.close()
// #endregion
assert.equal(status, 'held')
assert.equal(last.status, 'done')
assert.match(JSON.stringify(last.steps[0]?.calls[0]?.outcome), /sent to ada@example.org/)
process.chdir(start)
rmSync(folder, { recursive: true })
