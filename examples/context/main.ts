import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { agent, definePlugin, holdpoint, memoryStore, tool, type ModelRequest } from 'holdpoint'
import { z } from 'zod'

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
const show = (message: ModelRequest['prompt'][number]) => {
  if (message.role === 'system') return `system: ${message.text}`
  if (message.role === 'tool')
    return `tool: ${message.results.map(({ content }) => short(JSON.stringify(content))).join(' ')}`
  return `${message.role}: ${message.parts.map((part) => (part.type === 'text' ? short(part.text) : `(${part.type})`)).join(' | ')}`
}
const read = (page: number) => ({ calls: [{ name: 'read', input: { page } }] })

// #region layout
const shop = definePlugin({
  id: 'shop',
  prepare: ({ context, inject }) => {
    context.push('The shop is open from 9 to 5.') // the same in every prompt: comes first
    inject.push('It is ten to five.') // for this turn only: comes last
  },
})
// #endregion

// #region retention
const reader = tool({
  name: 'read',
  description: 'Read a page of the handbook',
  input: z.object({ page: z.number() }),
  retention: { turns: 1 }, // in its own turn and the one after
  run: ({ input }) => `Page ${input.page}: ${'lorem ipsum '.repeat(30)}`,
})
// #endregion

{
  const model = scriptedModel([read(1), 'It says hello.', read(2), 'It says goodbye.', 'You are welcome.'])
  const desk = agent({ name: 'desk', model, instructions: 'Be brief.', tools: [reader], plugins: [shop] })
  const hp = await holdpoint({ store: memoryStore(), agents: [desk] })
  // #region talk
  for (const said of ['What is on page 1?', 'And on page 2?', 'Thanks!']) await hp.send('c1', said)
  for (const message of model.requests.at(-1)?.prompt ?? []) console.log(show(message))
  // #endregion
  const last = JSON.stringify(model.requests.at(-1)?.prompt)
  assert.match(last, /leftOut/)
  assert.doesNotMatch(last, /Page 1: lorem/)
  assert.match(last, /Page 2: lorem/)
  assert.equal(last.match(/ten to five/g)?.length, 1)
  await hp.close()
}

{
  const model = scriptedModel([read(1), 'It says hello.', 'Yes.', 'No.'])
  // #region window
  const desk = agent({
    name: 'desk',
    model,
    tools: [reader],
    context: {
      window: { turns: 20 }, // or { messages: 40 }, or { tokens: 8000 }
      ownWords: { after: 1 }, // older turns: the user's message and the agent's last words
    },
  })
  // #endregion
  const hp = await holdpoint({ store: memoryStore(), agents: [desk] })
  for (const said of ['What is on page 1?', 'Sure?', 'Really?']) await hp.send('c1', said)
  const prompt = model.requests.at(-1)?.prompt ?? []
  assert.deepEqual(prompt.map(({ role }) => role), ['user', 'assistant', 'user', 'assistant', 'user']) // prettier-ignore
  await hp.close()
}

{
  const model = scriptedModel(['Fine.'])
  // #region budget
  const desk = agent({
    name: 'desk',
    model,
    instructions: 'Be brief.',
    context: {
      budget: { tokens: 200, reserve: 50, instructions: 100 },
      count: (what) => countTokens(typeof what === 'string' ? what : JSON.stringify(what)),
    },
  })
  const hp = await holdpoint({ store: memoryStore(), agents: [desk] })
  const { status, reason, message } = await hp.send('c1', 'A very long story. '.repeat(60))
  console.log(status, reason)
  console.log(message)
  // #endregion
  assert.equal(reason, 'context_full')
  assert.equal(model.requests.length, 0)
  assert.equal((await hp.send('c1', 'A short one.')).status, 'done')
  await hp.close()
}

{
  const words = 'and so on '.repeat(20)
  const model = scriptedModel(Array.from({ length: 12 }, () => `Noted, ${words}`))
  const cheap = scriptedModel(Array.from({ length: 12 }, () => 'The user ordered 12 lamps, order 4711.'))
  // #region summaries
  const desk = agent({
    name: 'desk',
    model,
    context: { budget: 2000, summarize: { model: cheap, instructions: 'Keep every order number.' } },
  })
  // #endregion
  const hp = await holdpoint({ store: memoryStore(), agents: [desk] })
  for (let nth = 1; nth <= 12; nth++) {
    await hp.send('c1', `Message ${nth}: ${words}`)
    await new Promise((resolve) => setTimeout(resolve, 20)) // time for the summary, which is made in the background
  }
  const last = model.requests.at(-1)?.prompt[0]
  assert.match(last?.role === 'system' ? last.text : '', /order 4711/)
  await hp.close()
}
