import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, step, stream, tool } from 'holdpoint'
import { z } from 'zod'

const search = tool({
  name: 'web.search',
  description: 'Search the web',
  input: z.object({ query: z.string() }),
  streaming: true,
  run: ({ input, progress }) => {
    progress('1 of 2 pages')
    return `two pages about ${input.query}`
  },
})
const scripts = [{ calls: [{ name: 'web.search', input: { query: 'tea' } }] }, 'Tea is a drink.']
const reader = () => agent({ name: 'reader', model: scriptedModel(scripts), tools: [search] })

// #region stream
const live = stream(reader(), 'What is tea?')
for await (const item of live) {
  if ('seq' in item) console.log(`event ${item.seq}: ${item.type}`)
  else if (item.type === 'reply-text') console.log(`  frame: ${item.type} ${JSON.stringify(item.delta)}`)
  else if (item.type === 'call-progress') console.log(`  frame: ${item.type} ${JSON.stringify(item.value)}`)
  else console.log(`  frame: ${item.type}`)
}
const { text, usage } = await live.result
console.log(text, usage)
// #endregion
assert.equal(text, 'Tea is a drink.')

// #region step
const one = await step(reader(), 'What is tea?')
console.log(one.status, one.reason, JSON.stringify(one.steps[0]?.calls[0]?.outcome))
const two = await one.session.step() // or continue(), to run to the end
console.log(two.status, two.reason, two.text)
// #endregion
assert.equal(two.status, 'done')
