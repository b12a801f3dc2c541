/** `kill -9` of the published build, at random moments and at the most critical write points, on PostgreSQL. */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { killAtRandom, killAtWritePoints, WRITE_POINTS } from '../../crash/campaign.ts'
import { postgresPlace } from './places.ts'
import { ownServer } from './postgres-server.ts'

const server = ownServer()

test(
  proves(
    'hold.never-accepted-and-dropped',
    'call.one-outcome',
    'log.no-gaps',
    'nothing acknowledged is lost, and nothing is done twice, when one of two processes dies at any moment',
  ),
  async () => {
    const { acked, problems } = await killAtRandom(postgresPlace(server().url), 4)
    expect(problems).toEqual([])
    expect(acked).toBeGreaterThan(30)
  },
  360_000,
)

test(
  proves('call.same-id-on-retry', 'nothing is lost or done twice when a process dies around a write that matters'),
  async () => {
    const points = WRITE_POINTS.filter((point) => /^(call.approved|call.started|takeOver)/.test(point))
    const { problems } = await killAtWritePoints(postgresPlace(server().url), points)
    expect(problems).toEqual([])
  },
  480_000,
)
