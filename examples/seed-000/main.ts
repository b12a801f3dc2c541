/** One tool declaration, two axes, one way to wait: the sketches of seed 000 (A1) and 001 (A2) as a program. */
import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, holdpoint, HoldpointError, memoryStore, tool, type Agent, type Asker, type Json } from 'holdpoint'
import { z } from 'zod'

const description = 'Part of a holiday'
const input = z.object({})

// The fields of a declaration. `run` is the callback of the seed; it gets the validated input and the caller's scope.
const mail = tool({
  name: 'mail.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.string() }),
  executor: 'server', // the default
  approval: 'required', // `auto` is the default
  streaming: true,
  retention: { turns: 5, last: 10 }, // or 'keep': never left out of the prompt
  run: ({ input, scope, progress }) => {
    progress('connecting')
    return `sent to ${input.to} for ${String(scope['user'])}`
  },
})
const weather = tool({ name: 'weather', description, input, run: () => ({ celsius: 21 }) })
const budget = tool({ name: 'budget', description, input, executor: 'human', output: z.object({ euros: z.number() }) })
const locate = tool({ name: 'locate', description, input, executor: 'client', output: z.string() })
const photo = tool({ name: 'photo', description, input, executor: 'client', approval: 'required' })
const search = tool({ name: 'web_search', executor: 'provider', id: 'openai.web_search', args: {} })

// A sub-agent is a server tool that starts another agent: no executor of its own.
const translator = agent({ name: 'translator', model: scriptedModel(['Bonjour']) })
const translate = tool({
  name: 'translate',
  description,
  input: z.object({ text: z.string() }),
  run: async ({ input }) => (await chat(translator, input.text)).text,
})

console.log('illegal declarations:')
for (const wrong of [
  { name: 'a', description, input, executor: 'human', approval: 'required' },
  { name: 'b', executor: 'provider', id: 'openai.web_search', approval: 'required' },
  { name: 'c', description, input, run: () => 1, aproval: 'required' },
  { name: 'd', description, input, executor: 'robot' },
  { name: 'e', description, input, run: () => 1, approval: 'maybe' },
])
  assert.throws(
    () => tool(wrong as never),
    (error) => HoldpointError.is(error) && error.code === 'tool-invalid' && (console.log(' ', error.message), true),
  )
const idle = scriptedModel([])
assert.throws(
  () => agent({ name: 'x', model: idle, tools: [tool({ name: 'f', description, input })] }),
  /nothing to run/,
)

const store = memoryStore()
const round = {
  calls: [
    { name: 'weather' },
    { name: 'translate', input: { text: 'Hello' } },
    { name: 'mail.send', input: { to: 'ada@example.org' } },
    { name: 'budget' },
    { name: 'locate' },
    { name: 'photo' },
  ],
}
const model = scriptedModel([round, 'All is ready.'])
const desk: Agent = agent({ name: 'desk', model, tools: [weather, translate, mail, budget, locate, photo, search] })
const scope = ({ by }: Asker) => ({ user: by })
const first = await holdpoint({ store, agents: [desk], scope })
await first.attend('trip', ['locate', 'photo']) // a page is connected

console.log('\na round of six calls:')
await first.send('trip', 'Prepare the trip', { by: 'ada' })
const calls = (await first.view('trip'))?.turns[0]?.steps[0]?.calls ?? []
for (const { name, state } of calls) console.log(' ', name, state)
const { items } = await first.pending({ conversationId: 'trip' })
// Calls that began to wait in the same moment are listed in any order.
const waiting = calls.flatMap(({ callId }) => items.filter((hold) => hold.callId === callId))
for (const { name, kind, accepts } of waiting) console.log('  waits:', name, kind, accepts.join(' or '))
assert.deepEqual(
  waiting.map(({ name, kind }) => [name, kind]),
  [
    ['mail.send', 'approval'],
    ['budget', 'elicitation'],
    ['locate', 'client'],
    ['photo', 'approval'],
  ],
)
const idOf = (name: string): string => calls.find((call) => call.name === name)?.callId ?? ''

// The process ends. Any other process that has the two ids can answer, and the conversation continues.
await first.close()
const second = await holdpoint({ store, agents: [desk], scope })
const page: Record<string, () => Json> = { locate: () => 'Bonn', photo: () => 'photo-1.jpg' }
await second.attend('trip', Object.keys(page))

console.log('\nanswers in another process:')
const tell = (what: string, { verdict }: { verdict: string }) => (console.log(' ', what, verdict), verdict)
assert.equal(tell('a click:', await second.approve('trip', idOf('mail.send'))), 'accepted')
assert.equal(tell('a second click:', await second.approve('trip', idOf('mail.send'))), 'duplicate')
assert.equal(tell('a contradiction:', await second.reject('trip', idOf('mail.send'))), 'conflict')
assert.equal(tell('an id that is none:', await second.approve('trip', 'x.1.1')), 'unknown')
assert.equal(tell('what does not fit:', await second.answer('trip', idOf('budget'), 'much')), 'invalid')
await second.answer('trip', idOf('budget'), { euros: 900 })
await second.approve('trip', idOf('photo')) // the first of its two holds
assert.equal(model.requests.length, 1) // the model waits for every call of its round

// A page runs its functions by the names of the calls, and answers with the same method.
for (const { name, callId, kind } of (await second.pending({ kind: 'client' })).items) {
  console.log('  the page runs', name, `(${kind})`)
  await second.answer('trip', callId, page[name]?.() ?? null)
}
const result = await second.continue('trip')
assert.equal(result.text, 'All is ready.')

console.log('\nwhat the model reads:')
for (const message of model.requests[1]?.prompt ?? [])
  if (message.role === 'tool')
    for (const { name, content } of message.results) console.log(' ', name, JSON.stringify(content))
assert.equal((await second.pending({ conversationId: 'trip' })).items.length, 0)
await second.close()
