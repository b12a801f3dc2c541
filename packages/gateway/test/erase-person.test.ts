/** Erasure of a person: what goes, what stays and is named, and the bytes in the file of the store. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from '@holdpoint/client'
import { openStore } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import { personKit, type PersonKit } from './person-kit.ts'

async function lived(here: PersonKit): Promise<void> {
  const [ada, ben] = [await here.person('ada'), await here.person('ben')]
  await here.ask('PUT', '/api/people/ada', { body: { name: 'Ada Countess', groups: ['finance'] } })
  await ada('PUT', '/api/delegations/ben', { until: Date.now() + 3_600_000 })
  await ben('PUT', '/api/delegations/ada', { until: Date.now() + 3_600_000 })
  await here.ask('POST', '/api/keys', { body: { name: 'hers', scopes: ['agent'], mayActFor: ['ada'] } })
  await ada('POST', '/api/conversations/own/messages?wait=5', { content: 'I live at 12 Hill Road' })
  await ada('POST', '/api/conversations/held/messages?wait=5', { content: 'refund 7 HillRoad' })
  await ben('POST', '/api/conversations/his/messages?wait=5', { content: 'Ours' })
  await ben('POST', '/api/conversations/his/participants', { add: ['ada'] })
  await ada('POST', '/api/conversations/his/messages?wait=5', { content: 'Said to Ben' })
  await ada('POST', '/api/spaces', { id: 'room', name: 'Room', members: [{ member: { kind: 'human', id: 'ben' } }] })
  await ada('POST', '/api/spaces/room/messages', { text: 'Hi all' })
}

test('a person is erased with their conversations, and the answer names what stays', async () => {
  const here = await personKit()
  await lived(here)
  const ben = await here.person('ben')
  expect((await ben('POST', '/api/people/ada/erase', {})).status).toBe(403)
  expect((await here.ask('POST', '/api/people/ada/erase', { body: { to: 'ada' } })).status).toBe(422)

  const hp = connect({
    url: 'http://localhost',
    key: here.key('acme', 'admin'),
    fetch: (input, init) => here.api.fetch(new Request(input, init)),
  })
  const done = await hp.people.erase('ada', { reason: 'request 12' })
  expect(done).toMatchObject({ erased: 2, handedOver: 0, left: 1, stays: { keys: [expect.any(String)] } })
  expect(done.stays.logs.map(({ id }) => id).toSorted()).toEqual(['his', 'room'])
  expect((await here.ask('GET', '/api/people')).body.items).toEqual([])
  for (const view of ['received', 'given'])
    expect((await ben('GET', `/api/delegations?view=${view}`)).body.items).toEqual([])
  for (const id of ['own', 'held'])
    expect((await here.ask('GET', `/api/conversations/${id}`)).body.erased).toBeDefined()
  expect((await ben('GET', '/api/conversations/his/participants')).body).toMatchObject({ participants: [] })
  expect(await hp.people.erase('ada')).toMatchObject({ erased: 0, handedOver: 0, left: 0, stays: { ...done.stays } })
})

test('the conversations and spaces of a person may get another owner instead', async () => {
  const here = await personKit()
  await lived(here)
  const done = await here.ask('POST', '/api/people/ada/erase', { body: { to: 'ben' } })
  expect(done).toMatchObject({ status: 200, body: { erased: 0, handedOver: 2, left: 1 } })
  const ben = await here.person('ben')
  expect((await ben('GET', '/api/conversations/own/participants')).body).toMatchObject({
    owner: 'ben',
    participants: [],
  })
  expect(
    (await ben('GET', '/api/spaces/room')).body.members.map((each: { member: { id: string } }) => each.member.id),
  ).toEqual(['ben'])
})

test('the file of the store has nothing of the person but their id in the logs of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bytes = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('')
  const store = await openStore(join(folder, 'desk.db'))
  onTestFinished(() => store.close())
  const here = await personKit({ store })
  await lived(here)
  for (const secret of ['Hill Road', 'HillRoad', 'Ada Countess']) expect(bytes()).toContain(secret)

  expect((await here.ask('POST', '/api/people/ada/erase')).status).toBe(200)

  const db = new DatabaseSync(join(folder, 'desk.db'))
  await vi.waitFor(() => expect(db.prepare('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 }))
  db.close()
  for (const secret of ['Hill Road', 'HillRoad', 'Ada Countess']) expect(bytes()).not.toContain(secret)
  expect(bytes()).toContain('Said to Ben')
})
