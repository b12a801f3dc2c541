/** A damaged log is repaired while other logs go on, in a SQLite file and in PostgreSQL. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { firstBrokenAdminEntry, listAdminEntries, type Store } from '@holdpoint/core'
import { postgresStore } from '@holdpoint/store-postgres'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, repair, storeCommand, tool, verifyStore, type Runtime } from 'holdpoint'
import { Client } from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'

interface Place {
  readonly store: Store
  readonly folder: string
  /** Runs SQL on the tables, behind the back of the store. */
  sql(text: string): Promise<void>
}

const url = inject('postgresUrl') ?? ''

async function sqlite(): Promise<Place> {
  const folder = newFolder()
  const file = join(folder, 'desk.db')
  const store = await sqliteStore(file)
  onTestFinished(() => store.close())
  const sql = async (text: string): Promise<void> => {
    const db = new DatabaseSync(file)
    db.exec(text)
    db.close()
  }
  return { store, folder, sql }
}

async function postgres(): Promise<Place> {
  const schema = `repair_${process.pid}_${Date.now()}`
  const client = new Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  const store = await postgresStore(url, { schema, dispatcher: 'none' })
  onTestFinished(async () => {
    await store.close()
    await client.query(`drop schema ${schema} cascade`)
    await client.end()
  })
  return { store, folder: newFolder(), sql: async (text) => void (await client.query(text)) }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-repair-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Desk {
  readonly hp: Runtime
  readonly paid: string[]
  /** Lets `work` end. */
  release(): void
}

/** `pay` waits for a person, and `work` for `release`. */
async function desk(store: Store): Promise<Desk> {
  const paid: string[] = []
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const input = z.object({})
  const pay = tool({
    name: 'pay',
    description: 'Pay.',
    input,
    approval: { required: true },
    onLost: 'fail',
    run: ({ call }) => {
      paid.push(call.id)
      return { paid: true }
    },
  })
  const work = tool({ name: 'work', description: 'Work.', input, run: () => released })
  const model = scriptedModel(({ prompt }) => {
    const asked = prompt.findLastIndex(({ role }) => role === 'user')
    const text = JSON.stringify(prompt[asked])
    const name = text.includes('Pay') ? 'pay' : text.includes('Work') ? 'work' : undefined
    return name === undefined || prompt.slice(asked).some(({ role }) => role === 'assistant')
      ? { text: 'Done.' }
      : { calls: [{ name, input: {} }] }
  })
  const hp = await holdpoint({
    store,
    agents: [agent({ name: 'desk', model, tools: [pay, work] })],
    onProblem: () => {},
  })
  onTestFinished(async () => {
    release()
    await hp.close()
  })
  return { hp, paid, release }
}

const CONV = `conv = (select k from conversations where id = 'c')`
const damage = (what: string): string => `update batches set events = 'x' || events where ${CONV} and ${what}`

/** `c` has a turn that is over, and one in which a person approved `pay` and it ran. */
async function paidOnce({
  store,
  folder,
}: Place): Promise<Desk & { readonly callId: string; readonly exported: string }> {
  const { hp, paid, release } = await desk(store)
  await hp.send('c', 'Hi')
  await hp.send('d', 'Hi')
  const { holds } = await hp.send('c', 'Pay')
  const callId = holds[0]!.callId
  await hp.approve('c', callId, { by: 'ann' })
  await expect.poll(async () => (await hp.list({ limit: 9 })).items.every(({ status }) => status === 'idle')).toBe(true)
  const exported = join(folder, 'export.jsonl')
  const lines = await Array.fromAsync(hp.export())
  writeFileSync(exported, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return { hp, paid, release, callId, exported }
}

async function seqOf(store: Store, type: string): Promise<number> {
  return (await store.read({ tenant: '', id: 'c' }, 0)).find((event) => event.type === type)!.seq
}

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const)('on %s', (_name, open) => {
  test('a damaged log is named, the others go on, and after the repair it ends where it is as it was written', async () => {
    const place = await open()
    const { store, folder } = place
    const { hp, callId, paid } = await paidOnce(place)
    const approved = await seqOf(store, 'call.approved')
    const before = await store.read({ tenant: '', id: 'c' }, 0)
    await hp.close()
    await place.sql(damage(`seq = ${approved}`))
    const after = await desk(store)
    await expect(after.hp.send('c', 'Hi again')).rejects.toMatchObject({ code: 'log-damaged' })
    expect(await after.hp.send('d', 'Hi again')).toMatchObject({ status: 'done' })
    expect((await verifyStore(store)).problems).toMatchObject([{ log: { id: 'c' }, goodUntil: approved - 1 }])

    const removedTo = join(folder, 'removed.jsonl')
    // The message was taken before the damage was read, so the process drives the log.
    const repaired = await repair(store, { id: 'c', removedTo, by: 'olga', fence: true })

    expect(repaired).toMatchObject({ keptUntil: approved - 1, restoredEvents: 0, seq: approved })
    expect(repaired.removedBatches).toBeGreaterThan(1)
    expect((await verifyStore(store)).problems).toEqual([])
    expect(await store.read({ tenant: '', id: 'c' }, 0)).toMatchObject([
      ...before.slice(0, approved - 1),
      { type: 'conversation.restored' },
    ])
    const removed = readFileSync(removedTo, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { table?: string })
    expect(removed[0]).toMatchObject({ type: 'repair', log: { id: 'c' }, keptUntil: approved - 1 })
    expect(removed.filter(({ table }) => table === 'batches').length).toBeGreaterThan(3)
    expect(JSON.stringify(removed)).toContain('"x[')
    expect(statSync(removedTo).mode & 0o077).toBe(0)

    // The answer is gone, so people are asked again, and told why.
    const { items } = await after.hp.pending({ limit: 9 })
    expect(items).toMatchObject([{ callId, reason: expect.stringContaining('may have run') }])
    expect(await after.hp.reject('c', callId, 'It ran.', { by: 'ann' })).toMatchObject({ verdict: 'accepted' })
    expect(await after.hp.send('c', 'Hi again', { whileBusy: 'queue' })).toMatchObject({ status: 'done' })
    expect(await after.hp.send('d', 'And you?')).toMatchObject({ status: 'done' })
    expect([...paid, ...after.paid]).toEqual([callId])

    const entries = (await listAdminEntries(store, '', { limit: 9 })).items.toReversed()
    expect(entries).toMatchObject([
      { kind: 'begun', by: 'olga', action: 'repairLog', target: { id: 'c' }, details: { removedTo } },
      { kind: 'ended', of: 1, status: 200 },
    ])
    expect(firstBrokenAdminEntry(entries)).toBeUndefined()
  })

  test('what is not as it was written comes from an export, and nothing is lost', async () => {
    const place = await open()
    const { hp, paid, exported, callId } = await paidOnce(place)
    const before = await place.store.read({ tenant: '', id: 'c' }, 0)
    await hp.close()
    await place.sql(damage('seq > 2'))
    const removedTo = join(place.folder, 'removed.jsonl')
    const repaired = await repair(place.store, { id: 'c', removedTo, from: exported })
    expect(repaired).toMatchObject({ keptUntil: 2, restoredEvents: before.length - 2, seq: before.length })
    expect(await place.store.read({ tenant: '', id: 'c' }, 0)).toEqual(before)
    expect((await verifyStore(place.store)).problems).toEqual([])
    const after = await desk(place.store)
    expect(await after.hp.send('c', 'Hi')).toMatchObject({ status: 'done' })
    expect([...paid, ...after.paid]).toEqual([callId])
  })

  test('a process that uses the log notices the repair, and goes on', async () => {
    const place = await open()
    const { hp } = await paidOnce(place)
    await place.sql(damage(`seq >= ${await seqOf(place.store, 'call.approved')}`))
    await repair(place.store, { id: 'c', removedTo: join(place.folder, 'removed.jsonl') })
    const { items } = await hp.pending({ limit: 9 })
    await hp.reject('c', items[0]!.callId, 'It ran.', { by: 'ann' })
    expect(await hp.send('c', 'Hi', { whileBusy: 'queue' })).toMatchObject({ status: 'done' })
    expect((await verifyStore(place.store)).problems).toEqual([])
  })

  test('a log that a process drives is refused, and taken from it with `fence`', async () => {
    const place = await open()
    const { hp, release } = await desk(place.store)
    await hp.send('c', 'Hi')
    void hp.submit('c', 'Work')
    const started = async (): Promise<boolean> =>
      (await place.store.read({ tenant: '', id: 'c' }, 0)).some(({ type }) => type === 'call.started')
    await expect.poll(started).toBe(true)
    await place.sql(damage(`seq = ${await seqOf(place.store, 'call.started')}`))
    const removedTo = join(place.folder, 'removed.jsonl')
    await expect(repair(place.store, { id: 'c', removedTo })).rejects.toThrow('A process drives "c" now')
    expect((await verifyStore(place.store)).problems).toHaveLength(1)
    const { seq } = await repair(place.store, { id: 'c', removedTo: `${removedTo}.2`, fence: true })
    release()
    expect(await hp.send('c', 'Hi', { whileBusy: 'queue' })).toMatchObject({ status: 'done' })
    // What the old driver ran does not get into the log.
    const log = await place.store.read({ tenant: '', id: 'c' }, 0)
    expect(log[seq - 1]).toMatchObject({ type: 'conversation.restored' })
    expect(log.filter(({ type }) => type === 'call.settled').length).toBeLessThan(2)
    expect((await verifyStore(place.store)).problems).toEqual([])
  })

  test('lists that do not follow from the events are made again, and no event is removed', async () => {
    const place = await open()
    const { hp } = await desk(place.store)
    const { holds } = await hp.send('c', 'Pay')
    await hp.close()
    const before = await place.store.read({ tenant: '', id: 'c' }, 0)
    await place.sql(`delete from holds where ${CONV}`)
    const removedTo = join(place.folder, 'removed.jsonl')
    expect(await repair(place.store, { id: 'c', removedTo })).toMatchObject({ removedBatches: 0 })
    expect((await place.store.read({ tenant: '', id: 'c' }, 0)).slice(0, before.length)).toEqual(before)
    const after = await desk(place.store)
    expect((await after.hp.pending({ limit: 9 })).items).toMatchObject([{ callId: holds[0]!.callId }])
    expect((await verifyStore(place.store)).problems).toEqual([])
  })

  test('a log without a good beginning is gone, and its id is free', async () => {
    const place = await open()
    const { hp } = await paidOnce(place)
    await hp.close()
    await place.sql(damage('seq > 0'))
    const removedTo = join(place.folder, 'removed.jsonl')
    expect(await repair(place.store, { id: 'c', removedTo })).toMatchObject({ keptUntil: 0, seq: 0 })
    expect((await verifyStore(place.store)).problems).toEqual([])
    const after = await desk(place.store)
    expect(await after.hp.send('c', 'Hi')).toMatchObject({ status: 'done' })
  })

  test('nothing is changed for a wrong request', async () => {
    const place = await open()
    const { hp, exported } = await paidOnce(place)
    const sound = join(place.folder, 'sound.jsonl')
    expect(await repair(place.store, { id: 'c', removedTo: sound })).toMatchObject({ problems: [] })
    expect(existsSync(sound)).toBe(false)
    await hp.close()
    await place.sql(damage('seq > 2'))
    const removedTo = join(place.folder, 'removed.jsonl')
    const other = join(place.folder, 'other.jsonl')
    writeFileSync(other, readFileSync(exported, 'utf8').replaceAll('"text":"Hi"', '"text":"Ho"'))
    const cut = join(place.folder, 'cut.jsonl')
    writeFileSync(cut, readFileSync(exported, 'utf8').slice(0, -40))
    const before = (await verifyStore(place.store)).problems
    for (const [request, why] of [
      [{ id: 'nothing', removedTo }, 'The store has no log "nothing"'],
      [{ id: 'c', removedTo: exported }, 'cannot be made'],
      [{ id: 'c', removedTo, from: other }, 'is another one than in the log'],
      [{ id: 'c', removedTo, from: cut }, 'does not fit'],
      [{ id: 'c', removedTo, from: join(place.folder, 'missing') }, 'cannot be read'],
      [{ id: 'c', tenant: 'acme', removedTo }, 'The store has no log "c"'],
    ] as const)
      await expect(repair(place.store, request)).rejects.toThrow(why)
    expect(existsSync(removedTo)).toBe(false)
    expect((await verifyStore(place.store)).problems).toEqual(before)
    expect((await listAdminEntries(place.store, '', { limit: 9 })).items).toEqual([])
  })
})

test('the command repairs a log, and says what it did', async () => {
  const place = await sqlite()
  const { hp } = await paidOnce(place)
  const approved = await seqOf(place.store, 'call.approved')
  await hp.close()
  await place.store.close()
  await place.sql(damage(`seq = ${approved}`))
  const [file, removed] = ['desk.db', 'removed.jsonl'].map((name) => join(place.folder, name)) as [string, string]
  await expect(storeCommand(['verify', file])).rejects.toThrow(`c, good until seq ${approved - 1}`)
  expect(await storeCommand(['repair', file, 'c', removed, '--by', 'olga'])).toMatch(
    new RegExp(
      `^Repaired "c": .*\nKept up to seq ${approved - 1}\\. Batches that were removed: \\d\\. It ends at seq ${approved} now\\.\n`,
    ),
  )
  expect(await storeCommand(['repair', file, 'c', `${removed}.2`])).toMatch('Nothing was changed')
  expect(await storeCommand(['verify', file])).toMatch('are as they were written')
  await expect(storeCommand(['repair', file, 'c'])).rejects.toThrow('Usage:')
  await expect(storeCommand(['verify', file, '--fence'])).rejects.toThrow('Usage:')
})
