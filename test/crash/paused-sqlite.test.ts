/** SIGSTOP past the lease, on a SQLite file. See paused.ts for what may happen and what must not. */
import { proves } from '@holdpoint/testing'
import { beforeAll, expect, test } from 'vitest'
import { pauseAtRandom } from '../../crash/campaign.ts'
import { ONCE, stopInTheMiddle, wakeInTheMiddle } from './paused.ts'
import { build, sqlitePlace } from './places.ts'

beforeAll(build)

test.each(['before', 'after'] as const)(
  proves(
    'call.one-outcome',
    'call.never-after-outcome',
    'a process that was paused %s the effect of a tool finds its call settled and writes nothing more about it',
  ),
  async (where) => {
    expect(await stopInTheMiddle(sqlitePlace(), where)).toEqual(ONCE)
  },
  240_000,
)

test(
  proves('call.same-id-on-retry', 'a process that wakes up leaves alone what another one began meanwhile'),
  async () => {
    const types = await wakeInTheMiddle(sqlitePlace())
    expect(types).toEqual(['call.started', 'call.started', 'call.settled'])
  },
  240_000,
)

test('nothing is lost or done twice when one of two processes is paused at any moment for longer than its lease', async () => {
  const { problems } = await pauseAtRandom(sqlitePlace(), 6)
  expect(problems).toEqual([])
}, 360_000)
