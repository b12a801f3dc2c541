/** The command: it does for the agents of a module what serve() does for those of a program. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@holdpoint/client'
import { scriptedModel } from '@holdpoint/testing'
import { agent, tool } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { startGateway } from '../src/start-gateway.ts'

const KEY = 'k'.repeat(40)

test('with one agent a message need not say which, and tools get the scope that the module makes', async () => {
  const scopes: unknown[] = []
  const look = tool({
    name: 'look',
    description: 'Look',
    input: z.object({}),
    run: ({ scope }) => {
      scopes.push(scope)
      return 'seen'
    },
  })
  const desk = agent({ name: 'desk', model: scriptedModel([{ calls: [{ name: 'look' }] }, 'Seen.']), tools: [look] })
  vi.stubGlobal('holdpointTestAgents', [desk])
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-run-'))
  writeFileSync(
    join(folder, 'app.mjs'),
    `export const agents = globalThis.holdpointTestAgents
     export const scope = ({ by }) => ({ user: by })`,
  )
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const { served, stop } = await startGateway({
    HOLDPOINT_APP: join(folder, 'app.mjs'),
    HOLDPOINT_STORE: join(folder, 'run.db'),
    HOLDPOINT_KEY: KEY,
    PORT: '0',
  })
  onTestFinished(async () => {
    await stop()
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    rmSync(folder, { recursive: true })
  })
  const client = connect({ url: served.url, key: KEY })
  const sent = await client.conversations.send('c1', 'Hello', { by: 'ada', wait: 10 })
  expect(sent).toMatchObject({ ok: true, result: { status: 'done', text: 'Seen.' } })
  expect(scopes).toEqual([{ user: 'ada' }])
})
