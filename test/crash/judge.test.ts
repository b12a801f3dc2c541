/** The checks of the crash programs must detect bad stores, such as these two. */
import { beforeAll, expect, test } from 'vitest'
import { killAtRandom } from '../../crash/campaign.ts'
import { judge, nothingAcked } from '../../crash/judge.ts'
import { build, sqlitePlace } from './places.ts'

beforeAll(build)

test('a store that reports a write without writing is detected', async () => {
  const { lost, problems } = await killAtRandom({ ...sqlitePlace(), env: { CRASH_STORE: 'forgets' } }, 2)
  expect(lost, problems.join('\n')).toBeGreaterThan(0)
}, 240_000)

test('a store that writes an append twice is detected', async () => {
  const { doubled, lost } = await killAtRandom({ ...sqlitePlace(), env: { CRASH_STORE: 'repeats' } }, 2)
  expect(doubled).toBeGreaterThan(0)
  expect(lost).toBe(0)
}, 240_000)

test('a tool with two effects is detected, unless its declaration allows that', () => {
  const charge = { tool: 'charge', callId: 'a', attempt: 1 }
  const note = { tool: 'note', callId: 'b', attempt: 1 }
  const found = (...effects: Parameters<typeof judge>[2]) => judge(new Map(), nothingAcked(), effects)
  expect(found(charge, note)).toMatchObject({ lost: 0, doubled: 0 })
  expect(found(charge, { ...charge, attempt: 2 }).doubled).toBe(1)
  expect(found(note, { ...note, attempt: 2 }).doubled).toBe(0)
  expect(found(note, note).doubled).toBe(1)
})

test('a gap in a log and a missing acknowledged write count as lost', () => {
  const opened = { type: 'conversation.opened', agent: 'desk', seq: 2, at: 0 } as const
  const acked = { ...nothingAcked(), created: ['c', 'd'], answered: [{ answered: 'x', id: 'c', by: 'ann' }] }
  expect(judge(new Map([['c', [opened]]]), acked, [])).toMatchObject({ acked: 3, lost: 3, doubled: 0 })
})
