/** `kill -9` of the published build, at random moments, on a SQLite file. */
import { proves } from '@holdpoint/testing'
import { beforeAll, expect, test } from 'vitest'
import { killAtRandom } from '../../crash/campaign.ts'
import { build, sqlitePlace } from './places.ts'

beforeAll(build)

test(
  proves(
    'hold.never-accepted-and-dropped',
    'call.one-outcome',
    'log.no-gaps',
    'nothing acknowledged is lost, and nothing is done twice, when one of two processes dies at any moment',
  ),
  async () => {
    const { acked, problems } = await killAtRandom(sqlitePlace(), 8)
    expect(problems).toEqual([])
    expect(acked).toBeGreaterThan(30)
  },
  360_000,
)
