import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, tool } from 'holdpoint'
import { z } from 'zod'

const search = tool({
  name: 'search',
  description: 'Search the archive',
  input: z.object({ query: z.string() }),
  retention: { turns: 1 },
  run: ({ input }) => `What the archive knows of ${input.query}`,
})
const model = scriptedModel([
  { calls: [{ name: 'search', input: { query: 'whales' } }] },
  'Whales are large.',
  'You are welcome.',
  'I do not remember what the archive said.',
])
const store = join(mkdtempSync(join(tmpdir(), 'holdpoint-')), 'desk.db')
// #region audit
const desk = agent({ name: 'desk', model, tools: [search], audit: { keep: '7 days' } })
const hp = await holdpoint({ store, agents: [desk] })
await hp.send('c1', 'What do we know of whales?')
await hp.send('c1', 'Thanks')
await hp.send('c1', 'What exactly did the archive say?')

const [last] = await hp.audit('c1', { limit: 1 })
console.log(last?.model, last?.usage, `${last?.ms} ms`, `${last?.request.prompt.length} messages`)
// #endregion

// #region explain
const why = await hp.explain('c1') // the newest turn, or explain('c1', turnId)
for (const { step, from, leftOut } of why?.steps ?? []) {
  console.log(`Step ${step} was shown everything from event ${from} on, but for`)
  for (const left of leftOut) console.log(JSON.stringify(left))
}
// #endregion
assert.equal(last?.request.prompt.length, model.requests.at(-1)?.prompt.length)
assert.deepEqual(
  why?.steps[0]?.leftOut.map((left) => [left.what, left.why]),
  [['result', 'retention']],
)
await hp.close()
