import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, askUser, callsTo, chat, halt, tool, toolError, type AgentOptions, type ChatResult } from 'holdpoint'
import { z } from 'zod'

// #region handlers
const colour = z.object({ colour: z.enum(['red', 'green', 'any', 'none', 'broken']) })
const paint = tool({
  name: 'paint',
  description: 'Paint the wall',
  input: colour,
  run: ({ input }) => {
    switch (input.colour) {
      case 'any':
        return askUser('Which colour would you like?', { choices: ['red', 'green'] }) // the answer is the result
      case 'none':
        return halt('There is nothing to paint') // the turn ends here
      case 'green':
        return toolError('Green is sold out', { restock: 'Monday' }) // the model reads it
      case 'broken':
        throw new Error('The brush broke') // the model reads it too
      case 'red':
        return 'The wall is red'
    }
  },
})
// #endregion

const wants = (name: string, value: string) => ({ name, input: { colour: value } })
const ask = (value: string, options: Partial<AgentOptions> = {}) => {
  const model = scriptedModel([{ calls: [wants('paint', value)] }, 'Noted.'])
  return chat(agent({ name: 'painter', model, tools: [paint], ...options }), 'Paint!')
}
const show = (what: string, { status, reason, steps }: ChatResult) =>
  console.log(
    `${what}: ${status}, ${reason}, ${JSON.stringify(steps[0]?.calls.map(({ outcome }) => outcome ?? 'open'))}`,
  )

// #region results
for (const value of ['red', 'green', 'broken', 'none', 'blue']) show(value, await ask(value))
const asked = await ask('any')
show('any', asked)
show(`asked "${asked.holds[0]?.reason}", told "red"`, await asked.session.reply('red'))
// #endregion

// #region calls-to
const [painted] = callsTo(paint, await ask('red'))
// The compiler knows that the value is text.
if (painted?.outcome?.ok) console.log(painted.outcome.value.toUpperCase())
// #endregion

// #region on-tool-error
show('halt on errors', await ask('broken', { onToolError: 'halt' }))
const picky = await ask('green', {
  onToolError: (_call, error) => (error.message.includes('sold out') ? 'continue' : 'halt'),
})
show('halt on some', picky)
// #endregion
assert.equal(picky.status, 'done')

// #region manual
const sign = tool({ name: 'sign', description: 'Sign the wall', input: colour, manual: true }) // no `run`
const model = scriptedModel([{ calls: [wants('paint', 'red'), wants('sign', 'red')] }, 'Painted and signed.'])
const halted = await chat(agent({ name: 'painter', model, tools: [paint, sign] }), 'Paint and sign')
show('manual', halted)
for (const { callId } of halted.holds) await halted.session.submitToolResult(callId, 'Signed by Ada')
const signed = await halted.session.continue()
show('submitted', signed)
// #endregion
assert.equal(signed.text, 'Painted and signed.')
