import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agent, holdpoint, memoryStore } from '../src/index.ts'

const desk = agent({ name: 'desk', model: scriptedModel([]) })

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test.each([
  [{ leaseMS: 5 }, 'holdpoint(): there is no setting "leaseMS". It takes store, agents, agentFor,'],
  [{ closeStore: true }, 'there is no setting "closeStore"'],
  [{ lookMs: Number.NaN }, '"lookMs" must be a number of milliseconds above 0, not NaN.'],
  [{ leaseMs: '15s' }, '"leaseMs" must be a number of milliseconds above 0, not "15s".'],
  [{ agents: undefined }, 'holdpoint() needs "agents": a list of at least one agent, as agent() makes them.'],
  [{ agents: [{ name: 'desk' }] }, '"agents" must be a list of at least one agent'],
  [{ store: undefined }, 'holdpoint() needs "store": the path of a file, the URL of a PostgreSQL database'],
  [
    { store: 5 },
    '"store" must be the path of a file, the URL of a PostgreSQL database (postgres://…), or a store, not 5.',
  ],
])('settings that are wrong (%j) are refused before a store is opened', async (settings, why) => {
  const place = folder()
  const options = { store: join(place, 'desk.db'), agents: [desk], ...settings } as never
  await expect(holdpoint(options)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(why),
  })
  expect(readdirSync(place)).toEqual([])
})

test('without settings it says which it needs', async () => {
  await expect(holdpoint(undefined as never)).rejects.toThrow('holdpoint() takes an object: { store, agents }.')
})

test('a path, a store, and settings that are undefined are taken', async () => {
  for (const store of [join(folder(), 'desk.db'), memoryStore({ now: Date.now })]) {
    const hp = await holdpoint({ store, agents: [desk], leaseMs: undefined } as never)
    expect((await hp.list()).items).toEqual([])
    await hp.close()
  }
})

test.each(['mysql://root:hunter2@db/desk', 'MongoDB://db/x', 'file:///tmp/desk.db', 'https://db.test'])(
  'there is no store at %s: it is refused, nothing is made, and the password is not repeated',
  async (url) => {
    const told = await holdpoint({ store: url, agents: [desk] }).catch((error: unknown) => error)
    expect(told).toMatchObject({ code: 'store-unusable' })
    expect((told as Error).message).toMatch(/^There is no store for [a-z]+:\/\/ URLs\. Give the path of a file, or/i)
    expect((told as Error).message).not.toContain('hunter2')
  },
)
