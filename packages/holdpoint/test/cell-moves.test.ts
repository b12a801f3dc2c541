/** Single moments of a move of a tenant, and of a cell that is down. Hooks in the stores of the cells make each moment happen. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address, Append, MovableStore, Store, TenantRows } from '@holdpoint/core'
import { proves, scriptedModel } from '@holdpoint/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { CellStore } from '../src/cells/cell-store.ts'
import { Directory } from '../src/cells/directory.ts'
import { moveTenant, type MovedTenant } from '../src/cells/move-tenant.ts'
import { nodePorts } from '../src/node-ports.ts'
import { agent, holdpoint, openStore, tool, type Runtime } from '../src/index.ts'

interface Stores {
  readonly north: MovableStore
  readonly south: MovableStore
}

interface Cells {
  /** What a process uses that knows of cells. */
  readonly store: Store
  /** Every append that `store` was asked for. */
  readonly asked: Append[]
  move(to: string): Promise<MovedTenant>
}

async function twoStores(): Promise<Stores> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  const north = (await openStore(join(folder, 'north.db'))) as MovableStore
  const south = (await openStore(join(folder, 'south.db'))) as MovableStore
  onTestFinished(async () => {
    await north.close()
    await south.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { north, south }
}

/** The tenant acme is in the cell north, which has the directory, and all others are in the cell south. */
function cellsOf(stores: Stores, hooks: { readonly [Cell in keyof Stores]?: Partial<Store> } = {}): Cells {
  const cells = new Map<string, Store>([
    ['north', { ...stores.north, ...hooks.north }],
    ['south', { ...stores.south, ...hooks.south }],
  ])
  const directory = new Directory(cells.get('north')!, 'north', (tenant) => (tenant === 'acme' ? 'north' : 'south'))
  const store = new CellStore(cells, 'north', directory, () => {})
  const asked: Append[] = []
  const append = store.append.bind(store)
  store.append = (write) => (asked.push(write), append(write))
  const move = (to: string): Promise<MovedTenant> => moveTenant(cells, directory, { tenant: 'acme', to }, nodePorts)
  return { store, asked, move }
}

/** The message "wait" calls a tool that ends when the test says so, and "pay" one that needs an approval. */
async function runtimeOn(store: Store, end: Promise<void> = Promise.resolve(), started = () => {}): Promise<Runtime> {
  const run = async (): Promise<string> => {
    started()
    await end
    return 'done'
  }
  const common = { input: z.object({}), onLost: 'ask', run } as const
  const wait = tool({ name: 'wait', description: 'Wait', ...common })
  const pay = tool({ name: 'pay', description: 'Pay', ...common, approval: 'required' })
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    const called = [wait, pay].find(({ name }) => last?.role === 'user' && JSON.stringify(last).includes(`"${name}"`))
    return called ? { calls: [{ name: called.name, input: {} }] } : 'Yes.'
  })
  const agents = [agent({ name: 'desk', model, tools: [wait, pay] })]
  const hp = await holdpoint({ store, agents, onProblem: () => {} })
  onTestFinished(() => hp.close())
  return hp
}

/** acme is being moved, and the move waits for a tool of the conversation "busy" that runs. */
async function moveDuringACall(
  { north }: Stores,
  cells: Cells,
): Promise<{ hp: Runtime; moving: Promise<MovedTenant>; end: () => void }> {
  const [start, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hp = await runtimeOn(cells.store, end.promise, start.resolve)
  await hp.tenant('acme').send('old', 'hello')
  const busy = hp.tenant('acme').send('busy', 'wait')
  await start.promise
  const moving = cells.move('south')
  moving.catch(() => {})
  busy.catch(() => {})
  await vi.waitFor(async () => expect((await north.get('', 'cell', 'acme'))?.data).toMatchObject({ to: 'south' }))
  return { hp, moving, end: end.resolve }
}

const textOf = (write: Pick<Append, 'events'>): string => JSON.stringify(write.events)

test(
  proves('cells.move-loses-nothing', 'who knows of a move waits for its end, and who does not cannot write behind it'),
  async () => {
    const stores = await twoStores()
    const { north } = stores
    const blind = await runtimeOn(north)
    const written: string[] = []
    const late: unknown[] = []
    const tenantRows: TenantRows = {
      ...north.tenantRows,
      // Every log is moved, and the directory still names the old cell.
      kinds: async (tenant) => {
        late.push(await blind.tenant('acme').send('old', 'too late'))
        return north.tenantRows.kinds(tenant)
      },
    }
    const append: Store['append'] = (write) => (written.push(textOf(write)), north.append(write))
    const cells = cellsOf({ ...stores, north: { ...north, append, tenantRows } })
    const { hp, moving, end } = await moveDuringACall(stores, cells)
    const more = hp.tenant('acme').send('busy', 'for the new cell', { whileBusy: 'queue' })
    await vi.waitFor(() => expect(cells.asked.map(textOf).join()).toContain('for the new cell'))
    end()
    await moving
    expect(late).toMatchObject([{ status: 'refused', reason: 'erased' }])
    expect(await more).toMatchObject({ status: 'done' })
    expect(written.join()).not.toContain('for the new cell')
    expect(JSON.stringify(await hp.tenant('acme').events('busy'))).toContain('for the new cell')
  },
)

test('a driver that asks whether it still owns a log is answered during a move', async () => {
  const stores = await twoStores()
  const cells = cellsOf(stores)
  const { moving, end } = await moveDuringACall(stores, cells)
  // It repeats an append of its own: here the message that made it the owner.
  const message = cells.asked.find(({ to, epoch }) => to.id === 'busy' && epoch === undefined)!
  expect(await cells.store.append(message)).toMatchObject({ result: 'ok', owned: true })
  end()
  await moving
})

test('a move that was interrupted is not undone by a move back, and loses nothing when it is repeated', async () => {
  let interrupted = true
  const stores = await twoStores()
  const put: Store['put'] = (given) =>
    interrupted && JSON.stringify(given.data).includes('"moves":1')
      ? Promise.reject(new Error('The move was interrupted.'))
      : stores.north.put(given)
  const cells = cellsOf(stores, { north: { put } })
  const hp = await runtimeOn(cells.store)
  await hp.tenant('acme').send('old', 'hello')
  await expect(cells.move('south')).rejects.toThrow('interrupted')
  await expect(cells.move('north')).rejects.toThrow('is being moved to "south"')
  interrupted = false
  expect(await cells.move('south')).toMatchObject({ logs: 1 })
  expect(JSON.stringify(await hp.tenant('acme').events('old'))).toContain('hello')
})

test('a tenant is not moved back into a cell where an earlier move left tombstones', async () => {
  let interrupted = true
  const stores = await twoStores()
  const { tenantRows } = stores.north
  const forget: TenantRows['forget'] = (tenant) =>
    interrupted ? Promise.reject(new Error('Interrupted.')) : tenantRows.forget(tenant)
  const cells = cellsOf({ ...stores, north: { ...stores.north, tenantRows: { ...tenantRows, forget } } })
  const hp = await runtimeOn(cells.store)
  await hp.tenant('acme').send('old', 'hello')
  await expect(cells.move('south')).rejects.toThrow('Interrupted.')
  await expect(cells.move('north')).rejects.toThrow('First finish that move')
  interrupted = false
  for (const to of ['south', 'north']) expect(await cells.move(to)).toMatchObject({ logs: 1 })
  expect(JSON.stringify(await hp.tenant('acme').events('old'))).toContain('hello')
})

test('a log that grows as fast as it is copied is moved', async () => {
  const stores = await twoStores()
  const blind = await runtimeOn(stores.north)
  const batches: Store['batches'] = async (...query) => {
    await blind.tenant('acme').send('old', 'one more')
    return stores.north.batches(...query)
  }
  const cells = cellsOf(stores, { north: { batches } })
  const hp = await runtimeOn(cells.store)
  await hp.tenant('acme').send('old', 'hello')
  expect(await cells.move('south')).toMatchObject({ logs: 1 })
  // One by the copy in use. The second copy found the log ended.
  expect(JSON.stringify(await hp.tenant('acme').events('old')).match(/one more/g)).toHaveLength(1)
})

test('what is erased while it is copied does not come back', async () => {
  const stores = await twoStores()
  const blind = await runtimeOn(stores.north)
  const put: Store['put'] = async (given) => {
    // The first copy is made.
    if (JSON.stringify(given.data)?.includes('"to"')) await blind.tenant('acme').erase('old')
    return stores.north.put(given)
  }
  const cells = cellsOf(stores, { north: { put } })
  const hp = await runtimeOn(cells.store)
  await hp.tenant('acme').send('old', 'a secret')
  await cells.move('south')
  expect(await stores.south.read({ tenant: 'acme', id: 'old' }, 0)).toMatchObject([{ type: 'conversation.erased' }])
  expect(await hp.tenant('acme').send('old', 'hello')).toMatchObject({ reason: 'erased' })
})

test('a cell that is down does not keep others from saying that an answer is a duplicate', async () => {
  const confirmed: Address[] = []
  const down = (): Promise<never> => Promise.reject(new Error('The cell is down.'))
  let isDown = false
  const stores = await twoStores()
  const { south } = stores
  const cells = cellsOf(stores, {
    north: { confirm: async (of) => void confirmed.push(of) },
    south: {
      confirm: () => (isDown ? down() : Promise.resolve()),
      beat: (...lease) => (isDown ? down() : south.beat(...lease)),
      due: (query) => (isDown ? down() : south.due(query)),
    },
  })
  const hp = await runtimeOn(cells.store)
  const approve = async (tenant: string): Promise<() => ReturnType<Runtime['approve']>> => {
    const { holds } = await hp.tenant(tenant).send('c', 'pay')
    return () => hp.tenant(tenant).approve('c', holds[0]!.callId, { by: 'ada' })
  }
  const [acme, globex] = [await approve('acme'), await approve('globex')]
  for (const each of [acme, globex]) {
    expect(await each()).toMatchObject({ verdict: 'accepted' })
    expect(await each()).toMatchObject({ verdict: 'duplicate' })
  }
  isDown = true
  confirmed.length = 0
  expect(await acme()).toMatchObject({ verdict: 'duplicate' })
  expect(confirmed).toEqual([{ tenant: 'acme', id: 'c' }])
  await expect(globex()).rejects.toThrow('The cell is down.')
})
