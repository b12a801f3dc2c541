/** SIGSTOP past the lease, on PostgreSQL. See paused.ts for what may happen and what must not. */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { pauseAtRandom } from '../../crash/campaign.ts'
import { ONCE, stopInTheMiddle, wakeInTheMiddle } from './paused.ts'
import { postgresPlace } from './places.ts'
import { ownServer } from './postgres-server.ts'

const server = ownServer()

test.each(['before', 'after'] as const)(
  proves(
    'call.one-outcome',
    'call.never-after-outcome',
    'a process that was paused %s the effect of a tool finds its call settled and writes nothing more about it',
  ),
  async (where) => {
    expect(await stopInTheMiddle(postgresPlace(server().url), where)).toEqual(ONCE)
  },
  240_000,
)

test(
  proves('call.same-id-on-retry', 'a process that wakes up leaves alone what another one began meanwhile'),
  async () => {
    const types = await wakeInTheMiddle(postgresPlace(server().url))
    expect(types).toEqual(['call.started', 'call.started', 'call.settled'])
  },
  240_000,
)

test('nothing is lost or done twice when one of two processes is paused at any moment for longer than its lease', async () => {
  const { problems } = await pauseAtRandom(postgresPlace(server().url), 6)
  expect(problems).toEqual([])
}, 360_000)
