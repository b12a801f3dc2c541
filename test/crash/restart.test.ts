/** After a process was killed: what is stored, and how soon the next process continues. */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { postgresPlace, sqlitePlace } from './places.ts'
import { ownServer } from './postgres-server.ts'
import { callsTo, has, isOver, openStation } from './station.ts'

const server = ownServer()

test.each(['SQLite', 'PostgreSQL'] as const)(
  proves(
    'hold.never-accepted-and-dropped',
    'hold.resolves-once',
    'an approval is kept when the process is killed right after it accepted it (%s)',
  ),
  async (kind) => {
    const { place, effects } = kind === 'SQLite' ? sqlitePlace() : postgresPlace(server().url)
    const first = await openStation({ place, effects, env: { DIE_AFTER: 'approve' } })
    await first.ask('submit', 'c', 'order one')
    await first.until('c', has('call.held', 'email'))
    const { items } = await first.ask('pending')
    const email = items.find(({ name }) => name === 'email')?.callId ?? ''
    expect(await first.ask('approve', 'c', email, { by: 'ann' })).toMatchObject({ verdict: 'accepted', remaining: 1 })
    expect(await first.child.died).toBe('SIGKILL')

    const second = await openStation({ place, effects, env: { DIE_AFTER: 'approve' } })
    expect(await second.ask('approve', 'c', email, { by: 'bob' })).toMatchObject({ verdict: 'accepted' })
    expect(await second.child.died).toBe('SIGKILL')

    const third = await openStation({ place, effects })
    const events = await third.until('c', has('call.settled', 'email'))
    const said = callsTo('email', events).flatMap((event) => (event.type === 'call.endorsed' ? [event.by] : []))
    expect(said).toEqual(['ann', 'bob'])
    expect(callsTo('email', events).filter(({ type }) => type === 'call.approved')).toHaveLength(1)
    expect(await third.ask('approve', 'c', email, { by: 'cleo' })).not.toMatchObject({ verdict: 'accepted' })
  },
  240_000,
)

test('a turn whose only process was killed is finished by the next process automatically, before its lease expires', async () => {
  const { place, effects } = sqlitePlace()
  const env = { LEASE_MS: '120000', LOOK_MS: '1000' } // the default is a look per second
  const first = await openStation({ place, effects, env: { ...env, PAUSE_AT: 'note:after' } })
  await first.ask('submit', 'c', 'quick order one')
  await first.child.line('at')
  await first.child.kill()
  const second = await openStation({ place, effects, env })
  const events = await second.until('c', isOver)
  // Measured from the start of Node.
  expect(performance.now() - second.begunAt).toBeLessThan(60_000)
  expect(callsTo('note', events).filter(({ type }) => type === 'call.started')).toHaveLength(2)
}, 240_000)
