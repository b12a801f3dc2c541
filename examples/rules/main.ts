import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, chainLines, holdpoint, memoryStore, ruleWords, signingKey, tool, verifyExport } from 'holdpoint'
import type { Principal, RuleText } from 'holdpoint'
import { z } from 'zod'

const ports = testPorts()
const store = memoryStore({ now: ports.now })
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-example-'))

// #region tool
const sendMail = tool({
  name: 'mail.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  approval: { required: true, rules: 'may-relax' }, // a rule may take the place of this approval
  run: ({ input }) => `sent to ${input.to}`,
})
// #endregion

const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return 'It is sent.'
  const to = JSON.stringify(last).includes('Eve') ? 'eve@evil.test' : 'ada@acme.test'
  return { calls: [{ name: 'mail.send', input: { to, subject: 'Invoice', body: 'Please pay.' } }] }
})

// #region open
const desk = agent({ name: 'desk', model, tools: [sendMail], ports })
const key = signingKey({ file: join(folder, 'desk.signing-key.pem') }) // made on first use
const hp = await holdpoint({ store, agents: [desk], rules: true, signing: { key }, ports })
// #endregion

const grace: Principal = { id: 'grace', kind: 'person' }

// #region save
const rule: RuleText = {
  effect: 'allow',
  tool: 'mail.send',
  fingerprint: sendMail.fingerprint, // for this definition of the tool; a hold has it too
  when: [
    { at: '/to', in: ['ada@acme.test', 'bob@acme.test'] },
    { at: '/subject', equals: 'Invoice' },
    { at: '/body', length: { max: 500 } },
  ],
  uses: 20,
  reason: 'Invoices to our two accountants',
  examples: {
    match: [{ to: 'ada@acme.test', subject: 'Invoice', body: 'Please pay.' }],
    noMatch: [{ to: 'eve@evil.test', subject: 'Invoice', body: 'Please pay.' }],
  },
}
console.log(ruleWords(rule))
const saved = await hp.rules.save(rule, { by: grace })
if (!saved.ok) throw new Error(saved.message)
console.log((await hp.send('c1', 'Mail Ada the invoice', { by: 'cleo' })).status)
console.log((await hp.send('c2', 'Mail Eve the invoice', { by: 'cleo' })).status)
// #endregion

// #region explain
const [call] = (await hp.explain('c1'))?.steps[0]?.calls ?? []
console.log(`${call?.decision}, decided by ${call?.decidedBy}, version ${call?.rule?.rule.version}: ${call?.why}`)
// #endregion
assert.equal(call?.rule?.rule.id, saved.rule.id)

// #region backtest
const wider: RuleText = { ...rule, when: [{ at: '/subject', equals: 'Invoice' }], examples: {} }
await hp.reject('c2', (await hp.pending()).items[0]?.callId ?? '', 'We do not know Eve', { by: grace })
const { calls, would, differences } = await hp.rules.backtest([wider])
console.log(`${calls} calls: ${would.allow} allowed, ${would.ask} asked, ${would.deny} denied`)
for (const { input, decided, by } of differences) console.log(`${by} ${decided} ${JSON.stringify(input)}`)
// #endregion
assert.equal(differences.length, 1)

// #region revoke
const { items } = await hp.rules.list({ search: 'invoice' })
console.log(items.map(({ used, uses }) => `used ${used} of ${uses}`))
await hp.rules.revoke(saved.rule.id, { by: grace, reason: 'Ada left' })
console.log((await hp.send('c3', 'Mail Ada the invoice', { by: 'cleo' })).status)
// #endregion
assert.equal((await hp.pending()).items.length, 1)

// #region evidence
const [held] = (await hp.pending()).items
await hp.approve('c3', held?.callId ?? '', { by: { ...grace, auth: 'session' } }) // your authentication says how
const [hold] = (await hp.evidence('c3', held?.callId ?? ''))?.holds ?? []
console.log(hold?.verdict, hold?.answers)
// #endregion
assert.equal(hold?.verdict, 'approved')

// #region verify
const file = join(folder, 'c3.jsonl')
for await (const line of chainLines(hp.exportChain({ id: 'c3' }))) await appendFile(file, `${line}\n`)

const report = await verifyExport(createReadStream(file), { keys: [key.key] })
console.log(report.ok, report.logs[0]?.signed?.seq === report.logs[0]?.events)
console.log(report.notProven)
// #endregion
assert.deepEqual(report.problems, [])
await hp.close()
rmSync(folder, { recursive: true })
