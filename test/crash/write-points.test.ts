/** `kill -9` of the published build before and after every kind of write, on a SQLite file. */
import { proves } from '@holdpoint/testing'
import { beforeAll, expect, test } from 'vitest'
import { killAtWritePoints } from '../../crash/campaign.ts'
import { build, sqlitePlace } from './places.ts'

beforeAll(build)

test(
  proves('call.same-id-on-retry', 'nothing is lost or done twice when a process dies before or after any write'),
  async () => {
    const { acked, problems } = await killAtWritePoints(sqlitePlace())
    expect(problems).toEqual([])
    expect(acked).toBeGreaterThan(30)
  },
  480_000,
)
