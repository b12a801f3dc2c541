/** Tenants in several stores behind one runtime, and a tenant that is moved while it is in use. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves, scriptedModel } from '@holdpoint/testing'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import {
  agent,
  holdpoint,
  openCells,
  openStore,
  readCellsConfig,
  tool,
  type Cells,
  type CellsConfig,
  type LogEvent,
  type Runtime,
} from '../src/index.ts'

function place(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function configIn(folder: string): CellsConfig {
  const cells = { north: join(folder, 'north.db'), south: join(folder, 'south.db') }
  return { cells, home: 'north', tenants: { acme: 'north', globex: 'south' } }
}

/** Each cell is a database of its own. */
async function configOfDatabases(): Promise<CellsConfig> {
  const server = new URL(inject('postgresUrl') ?? '')
  const names = ['north', 'south'].map((name) => `${name}_${process.pid}`)
  const sql = async (text: (name: string) => string): Promise<void> => {
    const client = new Client(server.href)
    await client.connect()
    for (const name of names) await client.query(text(name))
    await client.end()
  }
  await sql((name) => `create database ${name}`)
  onTestFinished(() => sql((name) => `drop database ${name} with (force)`))
  const [north = '', south = ''] = names.map((name) => new URL(`/${name}`, server).href)
  return { cells: { north, south }, home: 'north', tenants: { acme: 'north', globex: 'south' } }
}

interface Gateway {
  readonly hp: Runtime
  readonly cells: Cells
}

/** `pay` must not run twice, and `send` needs an approval. The model calls the tool that the message names. */
async function gateway(config: CellsConfig, ran: string[] = []): Promise<Gateway> {
  const run = ({ call }: { readonly call: { readonly id: string } }): string => (ran.push(call.id), 'done')
  const common = { input: z.object({}), onLost: 'ask', run } as const
  const pay = tool({ name: 'pay', description: 'Pay', ...common })
  const send = tool({ name: 'send', description: 'Send', ...common, approval: 'required' })
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    if (last?.role !== 'user') return 'The end.'
    return { calls: [{ name: JSON.stringify(last).includes('send') ? 'send' : 'pay', input: {} }] }
  })
  const cells = await openCells(config)
  const agents = [agent({ name: 'desk', model, tools: [pay, send] })]
  const hp = await holdpoint({ store: cells.store, agents, leaseMs: 2000, onProblem: () => {} })
  onTestFinished(async () => {
    await hp.close()
    await cells.close()
  })
  return { hp, cells }
}

/** The texts that people sent, in the order of the log. */
function textsIn(events: readonly LogEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'message.queued') return [JSON.stringify(event.item)]
    return event.type === 'turn.started' && event.queued === undefined
      ? event.items.map((item) => JSON.stringify(item))
      : []
  })
}

async function wholeLog(hp: Runtime, id: string): Promise<LogEvent[]> {
  const events: LogEvent[] = []
  for (;;) {
    const more = await hp.events(id, events.length, 500)
    if (more.length === 0) return events
    events.push(...more)
  }
}

test('each tenant is whole in its cell, and one list shows them all', async () => {
  const folder = place()
  const config = configIn(folder)
  const { hp, cells } = await gateway(config)
  for (const tenant of ['acme', 'globex', 'initech']) await hp.tenant(tenant).send('c', 'send')
  expect(await Promise.all(['', 'acme', 'globex', 'initech'].map((each) => cells.cellOf(each)))).toEqual([
    'north',
    'north',
    'south',
    'north',
  ])
  const [north, south] = [await openStore(config.cells['north']!), await openStore(config.cells['south']!)]
  expect((await north.walk({ limit: 10 })).items.map(({ tenant }) => tenant).toSorted()).toEqual(['acme', 'initech'])
  expect((await south.walk({ limit: 10 })).items.map(({ tenant }) => tenant)).toEqual(['globex'])
  await Promise.all([north.close(), south.close()])

  const all: string[] = []
  for (let after: string | undefined; ;) {
    const page = await cells.store.walk({ limit: 1, ...(after !== undefined && { after }) })
    all.push(...page.items.map(({ tenant }) => tenant))
    if (page.next === undefined) break
    after = page.next
  }
  expect(all.toSorted()).toEqual(['acme', 'globex', 'initech'])
  for (const tenant of ['acme', 'globex']) expect((await hp.tenant(tenant).pending()).items).toHaveLength(1)
})

test('a tenant with data stays in its cell when the configuration says another one', async () => {
  const config = configIn(place())
  const first = await gateway(config)
  await first.hp.tenant('acme').send('c', 'pay')
  const second = await gateway({ ...config, tenants: { acme: 'south' } })
  expect(await second.cells.cellOf('acme')).toBe('north')
  expect(await second.hp.tenant('acme').events('c')).toHaveLength(5)
})

test.each(['SQLite', 'PostgreSQL'] as const)(
  proves(
    'cells.move-loses-nothing',
    'a tenant is moved while two processes use it, and nothing is lost or done twice, with cells on %s',
  ),
  async (kind) => {
    const config = kind === 'SQLite' ? configIn(place()) : await configOfDatabases()
    const ran: string[] = []
    const processes = [await gateway(config, ran), await gateway(config, ran)]
    const [one, two] = processes as [Gateway, Gateway]
    const held = await one.hp.tenant('acme').send('held', 'send')
    expect(held.holds).toHaveLength(1)
    await one.hp.tenant('acme').send('once', 'pay', { key: 'the key' })
    await one.hp.tenant('acme').send('erased', 'pay')
    await one.hp.tenant('acme').erase('erased')
    await one.cells.store.put({ tenant: 'acme', kind: 'key', id: 'k', data: { scopes: [] } })

    let stop = false
    const sent = new Map<string, string[]>()
    const lanes = processes.flatMap(({ hp }, process) =>
      Array.from({ length: 4 }, async (_, lane) => {
        const acme = hp.tenant('acme')
        for (let nth = 0; !stop; nth++) {
          // Old conversations, new ones, and one that both processes write to.
          const id = nth % 3 === 0 ? 'shared' : nth % 3 === 1 ? `${process}-${lane}` : `${process}-${lane}-${nth}`
          const text = `pay ${process}-${lane}-${nth}`
          const key = { key: text, whileBusy: 'queue' } as const
          // A caller that is told nothing sends the same message again.
          for (;;) {
            const told = await acme.send(id, text, key).catch((error: unknown) => error as { readonly code?: string })
            if ('status' in told && told.status !== 'refused') break
            if (!('code' in told) || told.code !== 'store-unavailable') throw new Error(JSON.stringify(told))
          }
          sent.set(id, [...(sent.get(id) ?? []), text])
        }
      }),
    )
    await vi.waitFor(() => expect(sent.size).toBeGreaterThan(30))
    const moved = await two.cells.move('acme', 'south')
    expect(moved.logs).toBeGreaterThan(30)
    const count = sent.size
    await vi.waitFor(() => expect(sent.size).toBeGreaterThan(count + 10))
    stop = true
    await Promise.all(lanes)

    const acme = one.hp.tenant('acme')
    expect(await one.cells.cellOf('acme')).toBe('south')
    await vi.waitFor(async () => expect((await acme.list({ status: 'running', limit: 1000 })).items).toEqual([]))
    for (const [id, wanted] of sent) {
      const events = await wholeLog(acme, id)
      expect(
        events.map(({ seq }) => seq),
        id,
      ).toEqual(events.map((_, nth) => nth + 1))
      const texts = textsIn(events)
      expect(texts, id).toHaveLength(wanted.length)
      expect(new Set(texts).size, id).toBe(wanted.length)
      for (const event of events)
        if (event.type === 'call.settled') expect(event).toMatchObject({ outcome: { ok: true } })
    }
    expect(new Set(ran).size).toBe(ran.length)

    // What was there before the move goes on.
    expect(await two.hp.tenant('acme').approve('held', held.holds[0]!.callId, { by: 'ada' })).toMatchObject({
      verdict: 'accepted',
    })
    await vi.waitFor(async () => expect((await acme.events('held')).at(-1)).toMatchObject({ type: 'model.replied' }))
    const before = await acme.events('once')
    await acme.send('once', 'pay', { key: 'the key' })
    expect(await acme.events('once')).toEqual(before)
    expect(await acme.send('erased', 'pay')).toMatchObject({ reason: 'erased' })
    expect(await one.cells.store.get('acme', 'key', 'k')).toMatchObject({ data: { scopes: [] } })
    const north = await openStore(config.cells['north']!)
    expect((await north.list({ tenant: 'acme', limit: 10 })).items).toEqual([])
    expect(await north.load({ tenant: 'acme', id: 'held' })).toBeUndefined()
    await north.close()

    // And back again.
    await one.cells.move('acme', 'north')
    expect((await two.hp.tenant('acme').events('held')).at(-1)).toMatchObject({ type: 'model.replied' })
    expect(await two.hp.tenant('acme').send('held', 'pay')).toMatchObject({ status: 'done' })
  },
)

test('what a process that knows nothing of a move was told is not lost, and it cannot write behind the move', async () => {
  const config = configIn(place())
  const { hp, cells } = await gateway(config)
  await hp.tenant('acme').send('old', 'pay')
  // Without the directory, as if it had been stopped since long before the move.
  const blind = await openStore(config.cells['north']!)
  const agents = [agent({ name: 'desk', model: scriptedModel(() => 'Yes.'), tools: [] })]
  const other = await holdpoint({ store: blind, agents, leaseMs: 2000, onProblem: () => {} })
  onTestFinished(async () => {
    await other.close()
    await blind.close()
  })
  const told: string[] = []
  const writing = (async () => {
    for (let nth = 0; ; nth++) {
      const answer = await other.tenant('acme').send('old', `text ${nth}`, { whileBusy: 'queue' })
      if (answer.status === 'refused') return answer
      told.push(`text ${nth}`)
    }
  })()
  await vi.waitFor(() => expect(told.length).toBeGreaterThan(10))
  await cells.move('acme', 'south', { graceMs: 1 })
  expect(await writing).toMatchObject({ reason: 'erased' })
  const texts = textsIn(await wholeLog(hp.tenant('acme'), 'old'))
  // The last message may be in the log although its turn was cut off.
  expect(texts.length - 1 - told.length).toBeOneOf([0, 1])
  for (const [nth, text] of told.entries()) expect(texts[nth + 1]).toContain(`"${text}"`)

  // A log that it makes now is collected by a second move.
  await other.tenant('acme').send('new', 'hello')
  expect(await hp.tenant('acme').events('new')).toEqual([])
  await cells.move('acme', 'south')
  expect(await hp.tenant('acme').events('new')).toHaveLength(2)
})

test.each([
  [{ cells: {}, home: 'a' }, 'at least one cell'],
  [{ cells: { a: 'a.db' }, home: 'b' }, 'no such cell'],
  [{ cells: { a: 'a.db' }, home: 'a', tenants: { acme: 'b' } }, '"acme" is in the cell "b"'],
  [{ cells: { a: 'a.db' }, home: 'a', tenants: { '': 'a' } }, 'always in the home cell'],
  [{ cells: { a: 'a.db' }, home: 'a', tenant: {} }, 'no setting "tenant"'],
  [[], 'must be an object'],
])('a wrong configuration of cells is refused: %j', async (given, why) => {
  await expect(openCells(given as never)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(why),
  })
  const file = join(place(), 'cells.json')
  writeFileSync(file, JSON.stringify(given))
  await expect(readCellsConfig(file)).rejects.toThrow(why)
})

test('a tenant is moved to no cell that is unknown, and what belongs to no tenant stays', async () => {
  const { cells } = await gateway(configIn(place()))
  await expect(cells.move('acme', 'west')).rejects.toThrow('There is no cell "west"')
  await expect(cells.move('', 'south')).rejects.toThrow('stays in the home cell')
})
