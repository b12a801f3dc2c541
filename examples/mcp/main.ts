import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@holdpoint/gateway'
import { createMcpServer, mcpServers } from '@holdpoint/mcp'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, ask, envSecrets, holdpoint, openStore, tool } from 'holdpoint'
import { z } from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'mcp-'))
const file = join(folder, 'desk.db')
const key = 'hp_of_the_release_desk_0123456789abcdefghijkl'
const model = (...words: Script[]) => scriptedModel(words)

// #region own-server
const deploy = tool({
  name: 'deploy',
  description: 'Deploy a service',
  input: z.object({ service: z.string() }),
  run: ({ input, resumed }) => {
    const schema = { type: 'object', properties: { where: { enum: ['test', 'production'] } }, required: ['where'] }
    if (!resumed) return ask({ prompt: `Where shall ${input.service} go?`, schema }) // the answer may take days
    const { answer } = resumed
    return answer?.kind === 'answer' && 'value' in answer
      ? { deployed: input.service, ...Object(answer.value) }
      : 'nothing'
  },
})

const ours = await openStore(join(folder, 'releases.db'))
const ownServer = createMcpServer({ store: ours, tools: [deploy] }) // with `agents: [{ name: 'desk' }]` clients can also talk to agents
const releases = await holdpoint({ store: ours, agents: [ownServer.agent] })
const served = await serve({
  runtime: releases,
  store: ours,
  mcp: { ownServer },
  auth: { keys: [{ key, scopes: ['agent'] }] },
})
// #endregion

process.env['RELEASES'] = `Bearer ${key}`
const url = `${served.url}/mcp`

// #region five-lines
const store = await openStore(file)
const headers = { authorization: { $secret: 'RELEASES' } }
const mcp = mcpServers({
  store,
  servers: [{ name: 'releases', url, headers }],
  secrets: envSecrets(['RELEASES']), // no other environment variable is read
})
const desk = agent({
  name: 'desk',
  model: model({ calls: [{ name: 'releases.deploy', input: { service: 'the shop' } }] }),
  plugins: [mcp.plugin],
})
const runtime = await holdpoint({ store, agents: [desk] })

const { status, holds } = await runtime.send('release-7', 'Put the shop online')
console.log(status, holds[0]?.kind, holds[0]?.reason)
// #endregion

// The process ends, and the server may end too: nothing waits in memory.
await runtime.close()
await mcp.close()
await store.close()

// #region a-day-later
const again = await openStore(file)
const servers = mcpServers({
  store: again,
  servers: [{ name: 'releases', url, headers }],
  secrets: envSecrets(['RELEASES']), // no other environment variable is read
})
const back = agent({ name: 'desk', model: model('The shop is online.'), plugins: [servers.plugin] })
const tomorrow = await holdpoint({ store: again, agents: [back] })

const [question] = (await tomorrow.pending({ kind: 'elicitation' })).items
const { verdict } = await tomorrow.answer('release-7', question?.callId ?? '', { where: 'production' }, { by: 'ada' })
const { text, steps } = await tomorrow.continue('release-7')
console.log(verdict, text, JSON.stringify(steps[0]?.calls[0]?.outcome))
// #endregion
assert.equal(text, 'The shop is online.')

// #region status
for (const { name, health, era, version, tools } of await servers.status())
  console.log(name, health, era, version, tools.map((each) => each.name).join(', '))
// #endregion

await tomorrow.close()
await servers.close()
await again.close()
await served.close()
await ours.close()
rmSync(folder, { recursive: true })
