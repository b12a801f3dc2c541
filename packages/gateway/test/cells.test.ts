/** One gateway command over several cells. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, openStore, tool } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { startGateway } from '../src/start-gateway.ts'
import { settingsFromEnv } from '../src/settings.ts'

test('one command serves the tenants of two cells, and one list shows the holds of both, oldest first', async () => {
  const pay = tool({ name: 'pay', description: 'Pay', input: z.object({}), approval: 'required', run: () => 'paid' })
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'user' ? { calls: [{ name: 'pay', input: {} }] } : 'Paid.',
  )
  vi.stubGlobal('holdpointTestAgents', [agent({ name: 'desk', model, tools: [pay] })])
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-cells-'))
  writeFileSync(join(folder, 'app.mjs'), 'export const agents = globalThis.holdpointTestAgents')
  const cells = { north: join(folder, 'north.db'), south: join(folder, 'south.db') }
  const config = { cells, home: 'north', tenants: { globex: 'south' } }
  writeFileSync(join(folder, 'cells.json'), JSON.stringify(config))
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const secret = 's'.repeat(40)
  const { served, stop } = await startGateway({
    HOLDPOINT_APP: join(folder, 'app.mjs'),
    HOLDPOINT_CELLS: join(folder, 'cells.json'),
    HOLDPOINT_TOKEN_SECRET: secret,
    PORT: '0',
  })
  onTestFinished(async () => {
    await stop()
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    rmSync(folder, { recursive: true })
  })
  const { SignJWT } = await import('jose')
  const token = await new SignJWT({ tenants: ['acme', 'globex'], scope: 'agent resolver reader' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('grace')
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret))
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${served.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  for (const [tenant, id] of [
    ['globex', 'g1'],
    ['acme', 'a1'],
    ['globex', 'g2'],
  ]) {
    const sent = await ask('POST', `/api/conversations/${id}/messages?tenant=${tenant}&wait=10`, { content: 'Pay' })
    expect(sent.status, await sent.clone().text()).toBeLessThan(300)
  }
  await expect
    .poll(async () => {
      const answer = await ask('GET', '/api/holds?tenants=all')
      const { items } = (await answer.json()) as { items: { tenant: string; conversationId: string }[] }
      return items.map(({ tenant, conversationId }) => `${tenant}/${conversationId}`)
    })
    .toEqual(['globex/g1', 'acme/a1', 'globex/g2'])
  const south = await openStore(cells.south)
  expect((await south.walk({ limit: 10 })).items.map(({ tenant, id }) => `${tenant}/${id}`).toSorted()).toEqual([
    'globex/g1',
    'globex/g2',
  ])
  await south.close()
})

test('a store and cells are not set together', () => {
  expect(settingsFromEnv({ HOLDPOINT_CELLS: 'cells.json' })).toMatchObject({ cells: 'cells.json' })
  expect(() => settingsFromEnv({ HOLDPOINT_CELLS: 'cells.json', HOLDPOINT_STORE: 'a.db' })).toThrow('not both')
})
