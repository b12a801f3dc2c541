/** PostgreSQL is backed up with its own tools: here with `pg_dump`, while a runtime writes. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { agent, holdpoint, markRestored, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

const url = inject('postgresUrl') ?? ''
const DEBIAN = '/usr/lib/postgresql'
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : []
const places = [...(process.env.PATH ?? '').split(':'), ...versions.map((each) => join(DEBIAN, each, 'bin'))]
const pgDump = places.map((place) => join(place, 'pg_dump')).find((file) => existsSync(file))

let databases = 0

/** An empty database of the server. */
async function database(): Promise<string> {
  const name = `restore_${process.pid}_${++databases}`
  const sql = async (text: string): Promise<void> => {
    const client = new Client(url)
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  await sql(`create database ${name}`)
  onTestFinished(() => sql(`drop database if exists ${name} with (force)`))
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

test.skipIf(pgDump === undefined)('a restored dump runs no call that ran after the dump', async () => {
  const [from, to] = [await database(), await database()]
  const gate = Promise.withResolvers<void>()
  const ran: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({}),
    onLost: 'ask',
    run: async ({ call }) => {
      ran.push(call.id)
      await gate.promise
    },
  })
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'user' ? { calls: [{ name: 'pay', input: {} }] } : 'The end.',
  )
  const agents = [agent({ name: 'desk', model, tools: [pay] })]
  const first = await holdpoint({ store: from, agents, leaseMs: 1000 })
  onTestFinished(() => first.close())
  const turn = first.send('c', 'Pay')
  await vi.waitFor(() => expect(ran).toHaveLength(1))
  const dump = execFileSync(pgDump!, ['--dbname', from, '--format=plain'], { maxBuffer: 2 ** 28 })
  gate.resolve()
  await turn
  execFileSync(join(pgDump!, '../psql'), ['--dbname', to, '--quiet', '--set=ON_ERROR_STOP=1'], { input: dump })

  expect(await markRestored(to)).toEqual({ conversations: 1, marked: 1, inDoubt: 1, held: 0 })
  const second = await holdpoint({ store: to, agents, leaseMs: 1000 })
  onTestFinished(() => second.close())
  await vi.waitFor(async () => expect((await second.pending()).items).toMatchObject([{ cause: 'lost' }]))
  expect(ran).toHaveLength(1)
  const { callId } = (await second.pending()).items[0]!
  await second.answer('c', callId, 'paid', { by: 'ada' })
  await vi.waitFor(async () => expect((await second.list({ status: 'idle' })).items).toHaveLength(1))
  expect(ran).toHaveLength(1)
})
