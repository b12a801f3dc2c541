import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, Session, tool, type ResolveResult } from 'holdpoint'
import { z } from 'zod'

// #region gate
const bankPay = (description: string) =>
  tool({
    name: 'bank.pay',
    description,
    input: z.object({ to: z.string(), euros: z.number().positive() }),
    approval: ({ input: { euros } }) => ({
      required: euros > 100,
      reason: `${euros} euros is more than 100`,
      approvers: euros > 1000 ? 2 : 1,
    }),
    run: ({ input }) => `${input.euros} euros went to ${input.to}`,
  })
// #endregion

const pay = (to: string, euros: number) => ({ name: 'bank.pay', input: { to, euros } })
const calls = [pay('Ada', 50), pay('Bob', 500), pay('Cleo', 700), pay('Dora', 5000)]
const model = scriptedModel([{ calls }, 'All seen to.'])
const bank = agent({ name: 'bank', model, tools: [bankPay('Pay a person')] })

const { session, holds } = await chat(bank, 'Pay everybody')
for (const { input, approvers } of holds) console.log('held:', JSON.stringify(input), 'approvers:', approvers)
const [bob, cleo, dora] = holds.map(({ callId }) => callId)
assert(bob && cleo && dora)

// #region resolve
const say = (what: string, { verdict, remaining }: ResolveResult) =>
  console.log(`${what}: ${verdict}${remaining === undefined ? '' : `, ${remaining} to go`}`)

say('edit, badly', await session.approve(bob, { by: 'grace', input: { to: 'Bob', euros: -1 } }))
say('edit', await session.approve(bob, { by: 'grace', input: { to: 'Bob', euros: 400 } }))
say('edit it again', await session.approve(bob, { by: 'hugo', input: { to: 'Bob', euros: 450 } }))
say('reject', await session.reject(cleo, 'She was paid last week', { by: 'grace' }))
say('answer an approval', await session.answer(dora, 'yes'))
say('first approval', await session.approve(dora, { by: 'grace' }))
say('the same person', await session.approve(dora, { by: 'grace' }))
say('second approval', await session.approve(dora, { by: 'hugo' }))
// #endregion

const { steps, text } = await session.continue()
for (const { outcome } of steps[0]?.calls ?? []) console.log(JSON.stringify(outcome))
assert.equal(text, 'All seen to.')

// #region bound
const other = scriptedModel([{ calls: [pay('Eve', 200)] }, 'Paid.'])
const asked = await chat(agent({ name: 'bank', model: other, tools: [bankPay('Pay a person')] }), 'Pay Eve')
for (const { callId } of asked.holds) await asked.session.approve(callId, { by: 'grace' })

// The approval is in the log. Before the call runs, a new version is deployed.
const changed = agent({ name: 'bank', model: other, tools: [bankPay('Pay a person and tell the press')] })
const later = await Session.open(changed, { data: JSON.parse(JSON.stringify(asked.session)) })
const again = await later.continue()
console.log(`${again.status}: ${again.holds[0]?.reason}`)
// #endregion
assert.equal(again.status, 'held')
