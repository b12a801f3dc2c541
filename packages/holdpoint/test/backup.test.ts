/** Backup and restore of a SQLite file while it is in use. `ran` counts real runs, which no restore takes back. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { proves, scriptedModel, type Script } from '@holdpoint/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  agent,
  backup,
  holdpoint,
  markRestored,
  openStore,
  restore,
  storeCommand,
  tool,
  type Model,
  type Runtime,
} from '../src/index.ts'

interface Desk {
  readonly hp: Runtime
  /** The ids of the calls that ran, of this desk and those before it. */
  readonly ran: string[]
  /** Lets the calls of `pay` end that run now, and later ones at once. */
  letGo(): void
}

const calls = (name: string): Script => ({ calls: [{ name, input: {} }] })

/** `pay` must not run twice, and `send` needs an approval. The model calls the tool that the message names. */
async function openDesk(store: string, ran: string[] = [], slowModel = false): Promise<Desk> {
  const gate = Promise.withResolvers<void>()
  const run = async ({ call }: { readonly call: { readonly id: string } }): Promise<string> => {
    ran.push(call.id)
    await gate.promise
    return 'done'
  }
  const common = { input: z.object({}), onLost: 'ask' } as const
  const pay = tool({ name: 'pay', description: 'Pay', ...common, run })
  const send = tool({ name: 'send', description: 'Send', ...common, approval: 'required', run })
  const scripted = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    return last?.role === 'user' ? calls(JSON.stringify(last).includes('send') ? 'send' : 'pay') : 'The end.'
  })
  const model: Model = {
    id: 'scripted',
    async *stream(request) {
      if (slowModel && JSON.stringify(request.prompt.at(-1)).includes('later')) await gate.promise
      yield* scripted.stream(request)
    },
  }
  const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [pay, send] })], leaseMs: 1000 })
  const desk = { hp, ran, letGo: () => gate.resolve() }
  onTestFinished(async () => {
    desk.letGo()
    await hp.close()
  })
  return desk
}

function place(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A desk with a call that runs, one that is held and a turn without a reply; all of them go on after the backup. */
async function backedUp(): Promise<{ readonly copy: string; readonly folder: string; readonly ran: string[] }> {
  const folder = place()
  const [file, copy] = [join(folder, 'desk.db'), join(folder, 'backup.db')]
  const { hp, ran, letGo } = await openDesk(file, [], true)
  const turns = [hp.send('running', 'pay'), hp.send('model', 'pay later')]
  const { holds = [] } = (await hp.send('held', 'send')) as { holds?: readonly { callId: string }[] }
  await vi.waitFor(() => expect(ran).toHaveLength(1))
  await backup(file, copy)
  letGo()
  await hp.approve('held', holds[0]!.callId, { by: 'ada' })
  await Promise.all(turns)
  await vi.waitFor(() => expect(ran).toHaveLength(3))
  await hp.close()
  return { copy, folder, ran }
}

test(proves('restore.in-doubt', 'after a restore, no call runs that ran after the backup'), async () => {
  const { copy, folder, ran } = await backedUp()
  const before = [...ran]
  const file = join(folder, 'restored.db')
  expect(await restore(copy, file)).toEqual({ conversations: 3, marked: 3, inDoubt: 1, held: 1 })

  const { hp, letGo } = await openDesk(file, ran)
  letGo()
  await vi.waitFor(async () => expect((await hp.pending()).items).toHaveLength(2))
  const asked = Object.fromEntries((await hp.pending()).items.map((hold) => [hold.conversationId, hold]))
  expect(asked['running']).toMatchObject({ cause: 'lost', reason: expect.stringContaining('restored from a backup') })
  expect(asked['held']).toMatchObject({ cause: 'tool', reason: expect.stringContaining('may have been answered') })
  await vi.waitFor(async () => {
    const events = await hp.events('model')
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', reason: 'interrupted' })
  })
  expect(ran).toEqual(before)

  // A person found out what happened: one call did its work, the other did not.
  expect(await hp.answer('held', asked['held']!.callId, 'done', { by: 'ada' })).toMatchObject({ verdict: 'accepted' })
  expect(await hp.approve('running', asked['running']!.callId, { by: 'ada' })).toMatchObject({ verdict: 'accepted' })
  await vi.waitFor(async () => expect((await hp.list({ status: 'idle' })).items).toHaveLength(3))
  expect(ran).toEqual([...before, asked['running']!.callId])
  expect((await hp.events('held')).at(-1)).toMatchObject({ type: 'model.replied' })
})

test('without the mark, an older copy of the file runs a call again', async () => {
  const { copy, folder, ran } = await backedUp()
  await restore(copy, join(folder, 'restored.db'))
  const { hp, letGo } = await openDesk(copy, ran)
  letGo()
  await vi.waitFor(async () => expect((await hp.list({ status: 'idle' })).items).toHaveLength(1))
  expect(ran.length).toBeGreaterThan(3)
})

test('after a restore, messages that waited stay until the next one comes, and a hold has all of its time again', async () => {
  const folder = place()
  const [file, copy] = [join(folder, 'desk.db'), join(folder, 'backup.db')]
  const desk = await openDesk(file, [], true)
  const turn = desk.hp.send('c', 'pay later')
  await vi.waitFor(async () => expect((await desk.hp.list({ status: 'running' })).items).toHaveLength(1))
  const waits = desk.hp.send('c', 'pay too', { whileBusy: 'queue' })
  await vi.waitFor(async () => expect(await desk.hp.events('c')).toHaveLength(2))
  const held = (await desk.hp.send('d', 'send')) as { holds: readonly { expiresAt: number }[] }
  await backup(file, copy)
  desk.letGo()
  await Promise.all([turn, waits])
  await desk.hp.close()

  const restored = join(folder, 'restored.db')
  await restore(copy, restored)
  const { hp, letGo, ran } = await openDesk(restored)
  letGo()
  await vi.waitFor(async () => expect((await hp.list({ status: 'idle' })).items).toHaveLength(1))
  expect((await hp.events('c')).map(({ type }) => type)).toEqual([
    'turn.started',
    'message.queued',
    'conversation.restored',
    'turn.ended',
  ])
  expect((await hp.pending()).items[0]!.expiresAt).toBeGreaterThan(held.holds[0]!.expiresAt)
  await hp.continue('c')
  await vi.waitFor(() => expect(ran).toHaveLength(1))
})

test('a backup is one moment of a file that is written to all the time, and one file that only its owner can read', async () => {
  const folder = place()
  const [file, copy] = [join(folder, 'desk.db'), join(folder, 'backup.db')]
  const { hp, letGo } = await openDesk(file)
  letGo()
  let stop = false
  const told: string[] = []
  const writing = Array.from({ length: 4 }, async (_, lane) => {
    for (let nth = 0; !stop; nth++) {
      await hp.send(`${lane}-${nth}`, 'pay')
      told.push(`${lane}-${nth}`)
    }
  })
  await vi.waitFor(() => expect(told.length).toBeGreaterThan(20))
  const before = [...told]
  await backup(file, copy)
  stop = true
  await Promise.all(writing)
  expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db'])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  const store = await openStore(copy)
  onTestFinished(() => store.close())
  const heads = await store.heads(before.map((id) => ({ tenant: '', id })))
  // Started, replied, a call that started and was settled, and the last reply.
  expect(heads.every((seq) => seq >= 5)).toBe(true)
})

test.each([
  ['a file that is not there', 'none.db', 'new.db', 'There is no file'],
  ['a file that is none of ours', 'text.db', 'new.db', 'text.db'],
  ['a path that is taken', 'desk.db', 'text.db', 'exists already'],
  ['a folder that is missing', 'desk.db', 'no/new.db', 'The folder of'],
  ['a PostgreSQL database', 'postgres://root:hunter2@db/desk', 'new.db', 'pg_dump'],
])('neither a backup nor a restore is made of %s', async (_, from, to, why) => {
  const folder = place()
  writeFileSync(join(folder, 'text.db'), 'A letter to Ada, and no database at all.')
  await (await openStore(join(folder, 'desk.db'))).close()
  const before = readdirSync(folder)
  const source = from.includes('://') ? from : join(folder, from)
  for (const make of [backup, restore]) {
    const told = await make(source, join(folder, to)).catch((error: unknown) => error)
    expect((told as Error).message).toContain(why)
    expect((told as Error).message).not.toContain('hunter2')
  }
  expect(readdirSync(folder)).toEqual(before)
})

test('a store is marked by its path, also twice', async () => {
  const { copy } = await backedUp()
  for (const _ of [1, 2]) expect(await markRestored(copy)).toMatchObject({ conversations: 3, marked: 3 })
})

test('the command backs up, restores and marks, and says what it did', async () => {
  const { copy, folder } = await backedUp()
  const [again, file] = [join(folder, 'again.db'), join(folder, 'restored.db')]
  expect(await storeCommand(['backup', copy, again])).toMatch(/^Backed up to .*again\.db: \d+ bytes\.$/)
  const told = 'Of 3 conversations, 3 were under way. Calls in doubt: 1. Holds that are asked about again: 1.'
  expect(await storeCommand(['restore', again, file])).toBe(`Restored to ${file}. ${told}`)
  expect(await storeCommand(['restored', copy])).toBe(`Marked as restored. ${told}`)
})

test.each([[], ['backup'], ['backup', 'a.db'], ['restored', 'a', 'b'], ['erase', 'a', 'b'], ['backup', 'a', 'b', 'c']])(
  'the command refuses %j with its usage',
  async (...args) => {
    await expect(storeCommand(args)).rejects.toThrow(/^Usage:/)
  },
)
