/** The judge of the crash programs has to notice a bad store: here are two. */
import { beforeAll, expect, test } from 'vitest'
import { killAtRandom } from '../../crash/campaign.ts'
import { judge, nothingAcked } from '../../crash/judge.ts'
import { build, sqlitePlace } from './places.ts'

beforeAll(build, 60_000)

test('a store that says "written" and writes nothing is found out', async () => {
  const { lost, problems } = await killAtRandom({ ...sqlitePlace(), env: { CRASH_STORE: 'forgets' } }, 2)
  expect(lost, problems.join('\n')).toBeGreaterThan(0)
}, 60_000)

test('a store that writes twice what it was given once is found out', async () => {
  const { doubled, lost } = await killAtRandom({ ...sqlitePlace(), env: { CRASH_STORE: 'repeats' } }, 2)
  expect(doubled).toBeGreaterThan(0)
  expect(lost).toBe(0)
}, 60_000)

test('a tool that did its work twice is found out, unless it may and says so', () => {
  const charge = { tool: 'charge', callId: 'a', attempt: 1 }
  const note = { tool: 'note', callId: 'b', attempt: 1 }
  const found = (...effects: Parameters<typeof judge>[2]) => judge(new Map(), nothingAcked(), effects)
  expect(found(charge, note)).toMatchObject({ lost: 0, doubled: 0 })
  expect(found(charge, { ...charge, attempt: 2 }).doubled).toBe(1)
  expect(found(note, { ...note, attempt: 2 }).doubled).toBe(0)
  expect(found(note, note).doubled).toBe(1)
})

test('a log with a gap, and what was acknowledged and is nowhere, count as lost', () => {
  const opened = { type: 'conversation.opened', agent: 'desk', seq: 2, at: 0 } as const
  const acked = { ...nothingAcked(), created: ['c', 'd'], answered: [{ answered: 'x', id: 'c', by: 'ann' }] }
  expect(judge(new Map([['c', [opened]]]), acked, [])).toMatchObject({ acked: 3, lost: 3, doubled: 0 })
})
