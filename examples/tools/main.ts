import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, HoldpointError, internalTool, tool, withJsonSchema } from 'holdpoint'
import * as v from 'valibot'
import { z } from 'zod'

// #region server
const searchNotes = tool({
  name: 'notes.search',
  description: 'Search the notes',
  input: z.object({ query: z.string().min(1), limit: z.number().int().max(50).default(10) }),
  output: z.object({ titles: z.array(z.string()) }),
  timeout: '5 seconds',
  run: ({ input, scope }) => ({ titles: [`${input.query} (first ${input.limit}, for ${String(scope['user'])})`] }),
})
// #endregion

// #region executors
const askBudget = tool({
  name: 'budget.ask',
  description: 'Ask the owner for a budget',
  executor: 'human', // the answer is the result
  input: z.object({ question: z.string() }),
  output: z.object({ amount: z.number() }), // an answer that does not fit is refused
})
const pickFile = tool({
  name: 'file.pick',
  description: 'Let the user pick a file',
  executor: 'client',
  input: z.object({}),
})
const render = tool({
  name: 'video.render',
  description: 'Render',
  executor: 'external',
  input: z.object({}),
  timeout: '1 hour',
})
const webSearch = tool({ name: 'web_search', executor: 'provider', id: 'openai.web_search', args: {} })
const showChart = internalTool({
  name: 'chart.show',
  description: 'Show a chart to the user',
  input: z.object({ values: z.array(z.number()) }), // the arguments are the result
})
// #endregion

// #region json-schema
const convert = tool({
  name: 'units.convert',
  description: 'Convert miles to kilometres',
  input: { type: 'object', properties: { miles: { type: 'number' } }, required: ['miles'] },
  run: ({ input }) => Number(input['miles']) * 1.609344,
})
// #endregion

// #region valibot
const bookRoom = tool({
  name: 'room.book',
  description: 'Book a meeting room',
  input: withJsonSchema(v.object({ seats: v.pipe(v.number(), v.minValue(2)) }), {
    type: 'object',
    properties: { seats: { type: 'number', minimum: 2 } },
    required: ['seats'],
  }),
  run: ({ input }) => `a room for ${input.seats}`, // input.seats is a number
})
// #endregion

// #region bad-arguments
const model = scriptedModel([
  { calls: [{ name: 'notes.search', input: { query: '' } }] }, // too short
  {
    calls: [
      { name: 'notes.search', input: { query: 'tax' } },
      { name: 'units.convert', input: { miles: 10 } },
    ],
  },
  'Found it.',
])
const tools = [searchNotes, askBudget, pickFile, render, webSearch, showChart, convert, bookRoom]
const result = await chat(agent({ name: 'desk', model, tools }), 'Find my tax notes', { scope: { user: 'ada' } })
for (const { calls } of result.steps) for (const { name, outcome } of calls) console.log(name, JSON.stringify(outcome))
console.log('the model was offered:', model.requests[0]?.tools.map(({ name }) => name).join(', '))
// #endregion
assert.equal(result.text, 'Found it.')

// #region matrix
assert.throws(
  // @ts-expect-error the types refuse this pair too
  () => tool({ name: 'budget.ask', description: 'Ask', executor: 'human', approval: 'required', input: z.object({}) }),
  (error) => HoldpointError.is(error) && (console.log(`${error.code}: ${error.message}`), true),
)
// #endregion
