import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, tool } from 'holdpoint'
import { z } from 'zod'

const measure = tool({ name: 'measure', description: 'Measure', input: z.object({}), run: () => 21.5 })
const Weather = z.object({ celsius: z.number(), advice: z.string() })

// #region output
const plain = scriptedModel(['{"celsius": 21.5, "advice": "No coat"}'])
const one = await chat(agent({ name: 'weather', model: plain, output: Weather }), 'How warm is it?')
console.log(one.status, one.output)

const wrong = scriptedModel(['It is warm.'])
const two = await chat(agent({ name: 'weather', model: wrong }), 'How warm is it?', { output: Weather }) // for this turn only
console.log(two.status, two.reason, two.output)
// #endregion
assert.equal(two.reason, 'output_invalid')

// #region finalize
const model = scriptedModel([
  { calls: [{ name: 'measure' }] },
  'It is 21.5 degrees, so leave the coat.', // the tool loop ends with free text
  '{"celsius": 21.5, "advice": "No coat"}', // the second pass is bound to the schema
])
const desk = agent({ name: 'weather', model, tools: [measure], output: Weather, structuredFinalize: true })
const result = await chat(desk, 'How warm is it?')
console.log(result.status, result.output)
console.log('first pass:', result.metadata.structuredFinalize?.pass1.text)
console.log('bound to the schema:', model.requests.map(({ output }) => output !== undefined).join(', '))
// #endregion
assert.deepEqual(result.output, { celsius: 21.5, advice: 'No coat' })
assert.equal(result.steps.length, 3)
