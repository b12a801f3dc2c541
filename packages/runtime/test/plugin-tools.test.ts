/** Tools that exist only at run time, made from data by a plugin: as good as any other, across processes too. */
import { definePlugin, toolDefiner } from '@holdpoint/core'
import { chat, Session } from '@holdpoint/runtime'
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, saved, toldTo } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const look = tool({ name: 'look', description: 'Look around', input: z.object({}), run: () => 'grass' })

const tables = new Map([
  ['users', ['ada', 'bob']],
  ['orders', ['tea']],
])
const ran: string[] = []
/** One tool for each table there is, whose input is that table's own. */
const database = (known: ReadonlyMap<string, readonly string[]> = tables) =>
  definePlugin({
    id: 'database',
    prepare: ({ tools }) => {
      for (const [table, rows] of known) {
        const input = z.object({ row: z.enum(rows as [string, ...string[]]) })
        tools.push(
          tool({
            name: `db.${table}.delete`,
            description: `Delete from ${table}`,
            input,
            approval: 'required',
            run: ({ input: { row } }) => {
              ran.push(`${table}/${row}`)
              return `deleted ${row}`
            },
          }),
        )
      }
    },
  })
const deleteBob = { calls: [call('db.users.delete', { row: 'bob' })] }

test('tools made at run time from data are shown to the model with the schema of the data', async () => {
  const { agent, model } = desk(['done'], { plugins: [database()] })
  await chat(agent, 'go')
  expect(model.requests[0]?.tools).toMatchObject([
    { name: 'db__orders__delete', inputSchema: { properties: { row: { enum: ['tea'] } } } },
    { name: 'db__users__delete', inputSchema: { properties: { row: { enum: ['ada', 'bob'] } } } },
  ])
})

test('tools made at run time from data are found again when a call of theirs was held, saved, and approved in another process', async () => {
  ran.length = 0
  const { session, holds } = await chat(desk([deleteBob], { plugins: [database()] }).agent, 'go')
  const { agent, model } = desk(['done'], { plugins: [database()], process: 'q' })
  const reopened = await Session.open(agent, saved(session))

  expect(await reopened.approve(holds[0]?.callId ?? '')).toMatchObject({ verdict: 'accepted' })
  expect(await reopened.continue()).toMatchObject({ status: 'done' })
  expect(ran).toEqual(['users/bob'])
  expect(toldTo(model)).toEqual({ db__users__delete: { ok: true, result: 'deleted bob' } })
})

test('tools made at run time from data check an edited input in the other process too', async () => {
  ran.length = 0
  const { session, holds } = await chat(desk([deleteBob], { plugins: [database()] }).agent, 'go')
  const reopened = await Session.open(desk(['done'], { plugins: [database()], process: 'q' }).agent, saved(session))
  const callId = holds[0]?.callId ?? ''

  expect(await reopened.approve(callId, { input: { row: 'eve' } })).toMatchObject({ verdict: 'invalid' })
  expect(await reopened.approve(callId, { input: { row: 'ada' } })).toMatchObject({ verdict: 'accepted' })
  await reopened.continue()
  expect(ran).toEqual(['users/ada'])
})

test(
  proves(
    'call.runs-what-was-approved',
    'tools made at run time whose data changed after the yes are not run: the definition is not the one that was approved',
  ),
  async () => {
    ran.length = 0
    const { session, holds } = await chat(desk([deleteBob], { plugins: [database()] }).agent, 'go')
    const changed = new Map([['users', ['bob', 'eve']]])
    const reopened = await Session.open(desk([], { plugins: [database(changed)], process: 'q' }).agent, saved(session))
    await reopened.approve(holds[0]?.callId ?? '')
    expect(await reopened.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'changed' }] })
    expect(ran).toEqual([])
  },
)

test('tools made at run time that are gone leave the model an error, and the conversation goes on', async () => {
  const { session, holds } = await chat(desk([deleteBob], { plugins: [database()] }).agent, 'go')
  const { agent, model } = desk(['done'], { plugins: [database(new Map())], process: 'q' })
  const reopened = await Session.open(agent, saved(session))
  await reopened.approve(holds[0]?.callId ?? '')
  expect(await reopened.continue()).toMatchObject({ status: 'done' })
  expect(toldTo(model)).toMatchObject({ db__users__delete: { ok: false, error: { code: 'unknown-tool' } } })
})

test('tools made at run time from data may not take the name of another tool', async () => {
  const clash = definePlugin({ id: 'clash', prepare: ({ tools }) => void tools.push(look) })
  const { agent, model } = desk(['done'], { tools: [look], plugins: [clash] })
  await expect(chat(agent, 'go')).rejects.toMatchObject({
    code: 'config-invalid',
    message: 'Agent "desk" has two tools named "look". Rename one, or leave one out.',
  })
  expect(model.requests).toHaveLength(0)
})
