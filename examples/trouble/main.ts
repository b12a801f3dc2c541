import assert from 'node:assert/strict'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, chat, ModelError, tool, type AgentOptions, type ChatResult } from 'holdpoint'
import { z } from 'zod'

const look = tool({
  name: 'look',
  description: 'Look around',
  input: z.object({ at: z.string() }),
  run: () => 'nothing',
})
const wait = tool({
  name: 'wait',
  description: 'Wait for something',
  input: z.object({}),
  run: ({ signal }) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('too late'))),
})
const looks: Script = { calls: [{ name: 'look', input: { at: 'sky' } }] }
const scout = (scripts: readonly Script[], options: Partial<AgentOptions> = {}) =>
  agent({ name: 'scout', model: scriptedModel(scripts), tools: [look, wait], ...options })
const show = (what: string, { status, reason, message }: ChatResult) =>
  console.log(`${what}: ${status}, ${reason}${message === undefined ? '' : ` (${message})`}`)

// #region limits
show('steps', await chat(scout([looks, looks, looks], { maxSteps: 2 }), 'Look'))
show('tokens', await chat(scout([looks, looks, looks], { maxTokens: 30 }), 'Look')) // each scripted reply uses 15
show('own rule', await chat(scout([looks, looks, looks], { stopWhen: ({ step }) => step > 2 }), 'Look'))
// #endregion

// #region cancel
const stop = new AbortController()
const waiting = chat(scout([{ calls: [{ name: 'wait' }] }]), 'Wait', {
  signal: stop.signal,
  watch: ({ type }) => type === 'call.started' && stop.abort(),
})
const cancelled = await waiting
show('cancelled', cancelled)
console.log(JSON.stringify(cancelled.steps[0]?.calls[0]?.outcome))
// #endregion
assert.equal(cancelled.status, 'stopped')

// #region retry
const busy = new ModelError('429 too many requests', { retryable: true, status: 429, retryAfterMs: 5 })
const tries: number[] = []
const onProblem = (error: unknown) => console.log(`for the operator: ${String(error)}`)
const retried = await chat(scout([busy, busy, 'Here I am.']), 'Hello', {
  watch: (item) => item.type === 'model-retry' && tries.push(item.attempt),
  onProblem,
})
show(`failed attempts ${tries.join(', ')}`, retried)
const refused = new ModelError('bad key', { retryable: false, status: 401 })
show('permanent', await chat(scout([refused]), 'Hello', { onProblem }))
// #endregion
assert.equal(retried.text, 'Here I am.')

// #region fallback
const down = new ModelError('503 overloaded', { retryable: false, status: 503 })
const covered = scout([down], { fallback: [scriptedModel(['From the other one.'])] })
show('another model', await chat(covered, 'Hello', { onProblem }))
// #endregion

// #region nonsense
const nonsense = scout([
  { calls: [{ name: 'look', raw: '{"at": sky}' }] }, // not JSON
  { calls: [{ name: 'look', input: { where: 'sky' } }] }, // does not fit the schema
  { calls: [{ name: 'fly' }] }, // no such tool
  { calls: [{ name: 'look', input: { at: 'sky' }, id: 'call-1' }] }, // an id it used before
  'It learns.',
])
const learned = await chat(nonsense, 'Look')
for (const { calls } of learned.steps)
  for (const { outcome } of calls) console.log(outcome?.ok ? 'ok' : outcome?.error.code)
show('in the end', learned)
show('cut off', await chat(scout([[{ type: 'text', id: 't', delta: 'I was about to' }]]), 'Hello'))
show('silent', await chat(scout(['']), 'Hello'))
// #endregion
assert.equal(learned.text, 'It learns.')
