/** The loop of seed 004 (D): tools per request, step by step, by hand, questions, errors, streams, a bound result. */
import assert from 'node:assert/strict'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, askUser, chat, Session, step, stream, tool, toolError, type AgentOptions, type Json } from 'holdpoint'
import { z } from 'zod'

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
const weather = tool({
  name: 'get_weather',
  description: 'The current weather of a city',
  input: inputSchema,
  run: ({ input }) => ({ celsius: 17, sky: 'clear', city: input['city'] ?? null }),
})
const rome = { name: 'get_weather', input: { city: 'Rome' } }
const deskOf = (scripts: readonly Script[], more: Partial<AgentOptions> = {}) => {
  const model = scriptedModel(scripts)
  return { model, desk: agent({ name: 'desk', model, ...more }) }
}

console.log('the loop: one round of calls costs two model calls')
const looped = deskOf([{ calls: [rome] }, 'Clear, 17 degrees.'])
const { text } = await chat(looped.desk, 'Weather in Rome?', { tools: [weather] }) // tools for this request only
console.log(' ', text, looped.model.requests.length)
assert.equal(looped.model.requests.length, 2)

console.log('step by step:')
const stepped = deskOf([{ calls: [rome] }, 'Clear.'], { tools: [weather] })
const one = await step(stepped.desk, 'Weather?')
console.log(' ', one.status, JSON.stringify(one.steps[0]?.calls[0]?.outcome), (await one.session.step()).text)

console.log('two calls of one round run together, and are answered with one model call:')
const parallel = deskOf([{ calls: [rome, { ...rome, input: { city: 'Oslo' } }] }, 'Both clear.'], { tools: [weather] })
assert.equal((await chat(parallel.desk, 'Weather?')).steps[0]?.calls.length, 2)
assert.equal(parallel.model.requests.length, 2)

console.log('by hand, the whole agent: functions by the name of the tool, run by the caller')
const declared = tool({ name: 'get_weather', description: 'The weather', input: inputSchema }) // no `run`
const functions: Record<string, (input: Json) => Json> = { get_weather: () => ({ celsius: 17 }) }
const byHand = deskOf([{ calls: [rome] }, '17 degrees.'], { mode: 'manual', tools: [declared] })
let result = await chat(byHand.desk, 'Weather?')
while (result.reason === 'tool_calls') {
  for (const { callId, name, input } of result.holds)
    await result.session.submitToolResult(callId, functions[name]?.(input) ?? null)
  result = await result.session.continue()
}
console.log(' ', result.status, result.text)
assert.equal(result.text, '17 degrees.')

console.log('by hand, one tool of several:')
const confirm = tool({
  name: 'confirm',
  description: 'Ask before something that cannot be undone',
  input: z.object({}),
  manual: true,
})
const mixed = deskOf([{ calls: [rome, { name: 'confirm' }] }, 'Confirmed.'], { tools: [weather, confirm] })
const halted = await chat(mixed.desk, 'Go')
console.log(' ', halted.reason, halted.holds.map(({ name }) => name).join())
assert.equal(halted.steps[0]?.calls[0]?.outcome?.ok, true) // the first call has already run
const elsewhere = await Session.open(mixed.desk, { data: JSON.parse(JSON.stringify(halted.session)) })
await elsewhere.submitToolResult(elsewhere.holds[0]?.callId ?? '', { sure: true })
assert.equal((await elsewhere.continue()).text, 'Confirmed.')

console.log('a tool that fails:')
const sold = tool({ name: 'buy', description: 'Buy', input: z.object({}), run: () => toolError('sold out') })
const buying = () => deskOf([{ calls: [{ name: 'buy' }] }, 'It is sold out.'], { tools: [sold] }).desk
console.log('  told to the model:', (await chat(buying(), 'Buy')).text)
console.log('  halt:', (await chat(buying(), 'Buy', { onToolError: 'halt' })).reason)
const perCall = await chat(buying(), 'Buy', {
  onToolError: ({ name }, { message }) => (name === 'buy' && message === 'sold out' ? 'continue' : 'halt'),
})
assert.equal(perCall.status, 'done')

console.log('a tool that asks:')
const drop = tool({
  name: 'drop',
  description: 'Delete a database',
  input: z.object({}),
  run: () => askUser('Delete it for good?', { what: 'database' }),
})
const dropping = () => deskOf([{ calls: [{ name: 'drop' }] }, 'I left it.'], { tools: [drop] }).desk
const asked = await chat(dropping(), 'Delete it')
console.log(' ', asked.reason, asked.holds[0]?.reason, JSON.stringify(asked.holds[0]?.metadata))
console.log(' ', (await asked.session.reply('no')).text)
const again = await chat(dropping(), 'Delete it')
assert.equal((await again.session.send('no', { whileBusy: 'answer' })).text, 'I left it.')

console.log('as a stream:')
const live = stream(deskOf([{ calls: [rome] }, 'Clear.'], { tools: [weather] }).desk, 'Weather?')
const seen: string[] = []
for await (const { type } of live) if (type.startsWith('call') || type === 'reply-call') seen.push(type)
console.log(' ', seen.join(' '))
assert.deepEqual(seen, ['call-input', 'reply-call', 'call.started', 'call.settled'])

console.log('what a handler is given:')
const notes = new Map([['ada', 'likes trains']])
const lookUp = tool({
  name: 'look_up',
  description: 'What is known of the user',
  input: z.object({}),
  run: async ({ scope, conversation, call, agent: self, requestId }) => {
    const short = await chat(agent({ name: 'writer', model: self.model }), 'In one word?') // another call of the same model
    return { note: notes.get(String(scope['user'])), by: short.text, of: [conversation.id, call.name, requestId] }
  },
})
const known = deskOf([{ calls: [{ name: 'look_up' }] }, 'trains', 'You like trains.'], { tools: [lookUp] })
const session = await Session.open(known.desk, { id: 'c1' })
const told = await session.send('What do I like?', { scope: { user: 'ada' }, requestId: 'r-7' })
console.log(' ', JSON.stringify(told.steps[0]?.calls[0]?.outcome))

console.log('rounds and model calls:')
const rounds = deskOf([...Array.from({ length: 3 }, () => ({ calls: [rome] })), 'Clear.'], { tools: [weather] })
await chat(rounds.desk, 'Three times')
const endless = deskOf(
  Array.from({ length: 20 }, () => ({ calls: [rome] })),
  { tools: [weather] },
)
const stopped = await chat(endless.desk, 'For ever')
console.log('  3 rounds:', rounds.model.requests.length, '; most:', endless.model.requests.length, stopped.reason)
assert.deepEqual([rounds.model.requests.length, endless.model.requests.length], [4, 8])

console.log('a result that is bound to a schema, after the tools:')
const answer = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const bound = await chat(deskOf(['It is 42.', '{"answer":"42"}']).desk, 'What is 6 times 7?', {
  output: { name: 'answer', schema: answer },
  structuredFinalize: true,
})
const { pass1 } = bound.metadata.structuredFinalize ?? {}
console.log(' ', JSON.stringify(bound.output), 'after', pass1?.halted, pass1?.text)
assert.deepEqual(bound.output, { answer: '42' })
assert.deepEqual(
  bound.steps.map((each) => each.step),
  [1, 2],
)
