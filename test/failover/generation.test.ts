/** A new connection notices that another server answers: the state in memory is compared, and the operator is told once. */
import { agent, holdpoint, HoldpointError, type Runtime } from 'holdpoint'
import type { Store } from '@holdpoint/core'
import { scriptedModel } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { at, draft } from '../../packages/store-postgres/test/draft.ts'
import { testPair } from './pair.ts'

interface Told {
  readonly code: string
  readonly message: string
}

async function talker(store: Store): Promise<{ readonly hp: Runtime; readonly told: Told[] }> {
  const told: Told[] = []
  const hp = await holdpoint({
    store,
    agents: [agent({ name: 'talker', model: scriptedModel(Array.from({ length: 50 }, () => ({ text: 'Yes.' }))) })],
    lookMs: 40,
    onProblem: ({ error }) => {
      if (HoldpointError.is(error)) told.push({ code: error.code, message: error.message })
    },
  })
  onTestFinished(() => hp.close())
  return { hp, told }
}

test('after a fail-over that lost the tail, idle conversations in memory are compared without a request to them', async () => {
  const { pair, open } = await testPair('asynchronous')
  const { hp, told } = await talker(await open())
  for (const id of ['kept', 'cut', 'also']) await hp.send(id, 'Hi')
  const [{ lsn }] = (await pair.primary.sql<{ lsn: string }>('select pg_current_wal_lsn() as lsn')) as [{ lsn: string }]
  const has = 'select pg_last_wal_receive_lsn() >= $1::pg_lsn as has'
  await expect.poll(async () => (await pair.standby.sql<{ has: boolean }>(has, [lsn]))[0]?.has).toBe(true)
  pair.replication.cut()
  await hp.send('cut', 'And now?')
  await pair.primary.kill()
  const old = await pair.promote()
  onTestFinished(() => old.remove())

  const reports = (): Told[] => told.filter(({ code }) => code === 'store-replaced')
  await expect.poll(() => reports().length, { timeout: 60_000 }).toBe(1)
  const [{ message }] = reports() as [Told]
  expect(message).toMatch(/cluster (\d+), timeline 1 before, cluster \1, timeline 2 now/)
  expect(message).toMatch(/1 of them lost 2 acknowledged events/)
  expect(told.filter(({ code }) => code === 'store-rolled-back')).toHaveLength(1)
  // Other connections reach the new server, too.
  for (const id of ['kept', 'cut', 'also']) expect(await hp.send(id, 'Still there?')).toMatchObject({ status: 'done' })
  expect(reports()).toHaveLength(1)
}, 120_000)

test('the primary of before is not written to when it comes back beside the new one', async () => {
  const { pair, open, warnings } = await testPair('asynchronous')
  const store = await open()
  await accepted(store, 0)
  await pair.primary.shutDown()
  const old = await pair.promote()
  onTestFinished(() => old.remove())
  await accepted(store, 1)
  const changes: string[] = []
  store.watchServer?.((what) => changes.push(what))

  await old.start()
  pair.clients.cut()
  pair.clients.to(old.port)
  await expect.poll(async () => (await store.append(draft('c', 2))).result).toBe('failed')
  await expect(store.heads([at('c')])).rejects.toThrow('this server is at timeline 1, and the store was at timeline 2')
  pair.clients.to(pair.primary.port)
  await accepted(store, 2)
  expect(changes).toEqual([])
  expect(await old.sql('select max(seq)::int as seq from holdpoint.batches')).toEqual([{ seq: 1 }])
  expect(warnings.join()).not.toContain('may not call')
}, 120_000)

test('a role that may not ask is told so, and its store works', async () => {
  const { pair, open, warnings } = await testPair('asynchronous')
  await pair.primary.sql('revoke execute on function pg_control_system() from public')
  await pair.primary.sql('revoke execute on function pg_walfile_name(pg_lsn) from public')
  await pair.primary.sql('create role app login')
  await pair.primary.sql('grant create on database postgres to app')
  const store = await open({ url: pair.url.replace('postgres@', 'app@') })
  await accepted(store, 0)
  expect(await store.heads([at('c')])).toEqual([1])
  expect(warnings.filter((text) => text.includes('may not call pg_control_system and pg_walfile_name'))).toHaveLength(1)
}, 120_000)

async function accepted(store: Store, expected: number): Promise<void> {
  await expect.poll(async () => (await store.append(draft('c', expected))).result, { timeout: 60_000 }).toBe('ok')
}
