import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, halt, holdpoint, tool, type Hooks, type ModelPart } from 'holdpoint'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

// #region before-message
const beforeMessage: Hooks['beforeMessage'] = [
  // One after the other: each gets the result of the one before.
  { name: 'abuse', run: ({ text }) => (text.includes('bomb') ? halt('This is not talked about here.') : undefined) },
  { name: 'pins', run: ({ text }) => ({ replace: text.replaceAll(/\b\d{4}\b/g, '****') }) },
  // In parallel: these hooks can only add, and their additions keep this order.
  {
    parallel: [
      { name: 'clock', run: () => ({ add: 'It is Monday, 9 o’clock.' }) }, // for this turn only
      { name: 'memory', durable: true, run: () => ({ add: 'The user’s name is Ada.' }) }, // stays in the prompt
    ],
  },
]
// #endregion

// #region before-call
const beforeCall: Hooks['beforeCall'] = [
  {
    name: 'spending',
    run: ({ call, input }) => {
      if (call.name !== 'pay') return undefined
      const { amount } = z.object({ amount: z.number() }).parse(input)
      if (amount > 1000) return { veto: 'More than 1000 is not paid by an agent.' }
      return amount > 100 ? { input: { amount: 100 } } : undefined
    },
  },
]
// #endregion

// #region after-message
const afterMessage: Hooks['afterMessage'] = [
  { name: 'polite', run: ({ text }) => (text.includes('Ada') ? undefined : { again: 'Call the user by name.' }) },
]
// #endregion

// #region on-stream
const onStream: Hooks['onStream'] = [
  {
    name: 'cards',
    open: () => {
      let held = '' // text that may be the start of a number
      let id = ''
      return {
        part: (part): ModelPart => {
          if (part.type !== 'text') return part
          id = part.id
          const text = (held + part.delta).replaceAll(/\d{8,}(?=\D)/g, '[card]')
          held = /\d*$/.exec(text)?.[0] ?? ''
          return { ...part, delta: text.slice(0, text.length - held.length) }
        },
        end: () => (held === '' ? [] : [{ type: 'text', id, delta: held.length < 8 ? held : '[card]' }]),
      }
    },
  },
]
// #endregion

const paid: number[] = []
const pay = tool({
  name: 'pay',
  description: 'Pay an amount',
  input: z.object({ amount: z.number() }),
  run: ({ input }) => (paid.push(input.amount), { paid: input.amount }),
})
const model = scriptedModel([
  {
    calls: [
      { name: 'pay', input: { amount: 5000 } },
      { name: 'pay', input: { amount: 250 } },
    ],
  },
  'Paid with 4111111111111111.',
  'Paid with 4111111111111111, Ada.',
])
const store = join(mkdtempSync(join(tmpdir(), 'holdpoint-')), 'desk.db')
// #region use
const desk = agent({
  name: 'desk',
  model,
  tools: [pay],
  hooks: { beforeMessage, beforeCall, afterMessage, onStream, regenerations: 1 },
})
const hp = await holdpoint({ store, agents: [desk] })
const { text, steps } = await hp.send('c1', 'Pay my bills, the pin is 1234')
console.log(text)
for (const { name, outcome } of steps[0]?.calls ?? []) console.log(name, JSON.stringify(outcome))
// #endregion
await hp.close()
assert.equal(text, 'Paid with [card], Ada.')
assert.deepEqual(paid, [100])
assert.match(JSON.stringify(model.requests[0]?.prompt), /Ada\..*\*\*\*\*/)
