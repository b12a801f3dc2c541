import assert from 'node:assert/strict'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, chat, ModelError, Services, type AgentOptions } from 'holdpoint'
import { z } from 'zod'
import { TaskStore } from './tasks/task-store.ts'
import { taskTools } from './tasks/task-tools.ts'

/** Runs one turn with a scripted model. Returns the text and the number of model calls. */
async function turn(says: readonly Script[], options: Partial<AgentOptions> = {}) {
  const store = new TaskStore()
  store.put({ id: 't1', title: 'Call the printer', due: '2030-01-31', done: false })
  const model = scriptedModel(says)
  const services = new Services().set(TaskStore, store)
  const desk = agent({ name: 'desk', model, tools: taskTools, services, ...options })
  const result = await chat(desk, 'What is open? Then tidy up.', { onProblem: () => {} })
  return { ...result, model, asked: model.requests.length }
}
const list = { name: 'task.list', input: {} }
const add = { name: 'task.add', input: { title: 'Order paper', due: '2030-02-01' } }
const finish = (id: string) => ({ name: 'task.finish', input: { id } })

// #region told
const one = await turn([{ calls: [list] }, 'One task is open.'])
for (const tool of one.model.requests[0]?.tools ?? []) {
  if (tool.kind !== 'function') continue
  console.log(`${tool.name}: ${tool.description}`)
  const fields = Object.entries(tool.inputSchema['properties'] ?? {}) as [string, { description?: string }][]
  for (const [name, { description }] of fields) console.log(`  ${name}: ${description}`)
}
console.log(JSON.stringify(one.steps[0]?.calls[0]?.outcome))
// #endregion

// #region errors
const wrong = { name: 'task.add', input: { title: 'Order paper', due: 'tomorrow' } }
const { steps } = await turn([{ calls: [wrong, finish('t9')] }, { calls: [add, finish('t1')] }, 'Done.'])
for (const { calls } of steps)
  for (const { name, outcome } of calls) console.log(name, outcome?.ok ? 'ok' : outcome?.error.message)
// #endregion

// #region arithmetic
const count = async (what: string, says: readonly Script[], options?: Partial<AgentOptions>) => {
  const { status, reason, asked } = await turn(says, options)
  console.log(`${what}: ${asked} model call${asked === 1 ? '' : 's'}, ${status}, ${reason}`)
  return asked
}
const busy = new ModelError('Too many requests', { retryable: true, status: 429, retryAfterMs: 1 })
const output = z.object({ open: z.number() })
const calls = [
  await count('no tools', ['Hello.']),
  await count('one round', [{ calls: [list] }, 'Done.']),
  await count('one round of three calls', [{ calls: [list, add, finish('t1')] }, 'Done.']),
  await count('three rounds', [{ calls: [list] }, { calls: [add] }, { calls: [finish('t1')] }, 'Done.']),
  await count('two rounds, the most there may be', [{ calls: [list] }, { calls: [add] }], { maxSteps: 2 }),
  await count('a round, and a bound result', [{ calls: [list] }, 'One.', '{"open":1}'], {
    output,
    structuredFinalize: true,
  }),
  await count('a round, and a vendor that was busy once', [busy, { calls: [list] }, 'Done.']),
]
// #endregion
assert.deepEqual(calls, [1, 2, 2, 4, 2, 3, 3])
assert.equal(steps[1]?.calls[1]?.outcome?.ok, true)
assert.match(JSON.stringify(one.model.requests[0]?.tools), /in a few words that start with a verb/)
