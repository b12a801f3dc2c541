import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, tool } from 'holdpoint'
import { z } from 'zod'

// #region tools
// No `run`: an agent in manual mode returns every call to its caller.
const weather = tool({
  name: 'weather.get',
  description: 'The current weather in a city',
  input: z.object({ city: z.string().describe('The city, in English') }),
  output: z.object({ celsius: z.number() }),
})
const model = scriptedModel([
  {
    calls: [
      { name: 'weather.get', input: { city: 'Oslo' } },
      { name: 'weather.get', input: { city: 'Nowhere' } },
    ],
  },
  'It is 4 degrees in Oslo. I know no Nowhere.',
])
const desk = agent({ name: 'desk', model, mode: 'manual', tools: [weather] })
// #endregion

// #region loop
let result = await chat(desk, 'How warm is it in Oslo, and in Nowhere?')
const { session } = result
while (result.reason === 'tool_calls') {
  for (const { callId, name, input } of result.holds) {
    console.log('to do:', name, JSON.stringify(input)) // audit it, queue it, send it to another process
    const { city } = input as { city: string }
    if (city === 'Oslo') await session.submitToolResult(callId, { celsius: 4 })
    else await session.fail(callId, `There is no city named ${city}`)
  }
  result = await session.continue()
}
console.log(result.status, result.text)
// #endregion

// #region per-request
const greeter = agent({
  name: 'greeter',
  mode: 'manual',
  model: scriptedModel([{ calls: [{ name: 'wave' }] }, 'Done.']),
})
const wave = tool({ name: 'wave', description: 'Wave', input: z.object({}) })
const waving = await chat(greeter, 'Wave', { tools: [wave], onToolError: 'halt' }) // for this message only
await waving.session.fail(waving.holds[0]?.callId ?? '', 'The arm is tired')
const stopped = await waving.session.continue()
console.log(stopped.status, stopped.reason, stopped.message)
// #endregion
assert.equal(result.status, 'done')
assert.equal(stopped.reason, 'tool_error')
