import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect } from '@holdpoint/client'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'

if (spawnSync('python3', ['--version']).status !== 0) {
  console.log('There is no python3 here, so its worker was not tried.')
  process.exit(0)
}

// #region tool
const ship = tool({
  name: 'ship',
  description: 'Ship a parcel',
  executor: 'external', // a worker runs it
  timeout: '1 h', // how long the worker may take
  input: z.object({ to: z.string() }),
  output: z.object({ parcel: z.string(), language: z.string() }),
})
// #endregion

const calls = ['Ada', 'Nowhere'].map((to) => ({ name: 'ship', input: { to } }))
const agents = [agent({ name: 'desk', model: scriptedModel([{ calls }, 'One of two is on its way.']), tools: [ship] })]
const store = memoryStore()
const runtime = await holdpoint({ store, agents })
const served = await serve({ runtime, store, agents })
const { key: admin } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'], mayActFor: true })
const client = connect({ url: served.url, key: admin })

// #region key
const { key = '' } = await client.keys.create({ name: 'shipping', scopes: ['worker'] }) // reads and runs calls, approves none
// #endregion
const python = spawn('python3', [fileURLToPath(new URL('worker.py', import.meta.url))], {
  env: { ...process.env, HOLDPOINT_URL: served.url, HOLDPOINT_KEY: key },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const said: string[] = []
createInterface(python.stdout).on('line', (line) => said.push(line))

const sent = await client.conversations.send('order-17', 'Ship the order', { wait: 60 })
const live = client.conversation('order-17')
await new Promise<void>((resolve) => live.subscribe(({ status }) => (status === 'idle' ? resolve() : undefined)))
const [first, second] = live.view.turns[0]?.steps[0]?.calls ?? []
live.close()

python.kill('SIGTERM')
await once(python, 'exit')
await served.close()

console.log(JSON.stringify(first?.outcome))
console.log(JSON.stringify(second?.outcome))
assert(sent.ok)
assert.deepEqual(said, ['ready', 'ship accepted', 'ship accepted', 'stopped'])
assert(first?.outcome?.ok)
assert.equal(second?.outcome?.ok, false)
