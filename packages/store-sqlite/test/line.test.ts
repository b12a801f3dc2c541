import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Line, lineEnds, type LineEnd } from '../src/line.ts'

const open: Line<string, string>[] = []
afterEach(() => open.splice(0).forEach((line) => line.close()))

/** Both ends, and what the event loop brought to each. */
function pair(): { a: Line<string, string>; b: Line<string, string>; heard: string[]; ends: readonly LineEnd[] } {
  const heard: string[] = []
  const ends = lineEnds()
  const [a, b] = ends.map((end) => new Line<string, string>(end, (message) => heard.push(message)))
  open.push(a!, b!)
  return { a: a!, b: b!, heard, ends }
}

async function heardAll(heard: readonly string[], count: number): Promise<void> {
  for (let turns = 0; heard.length < count && turns < 10_000; turns++) await turn()
}

test('what was said can be taken at once, in order, and is not brought again', async () => {
  const { a, b, heard } = pair()
  a.say('one')
  a.say('two')
  expect([b.take(), b.take(), b.take()]).toEqual(['one', 'two', undefined])
  a.say('three')
  await heardAll(heard, 1)
  expect(heard).toEqual(['three'])
  expect(b.take()).toBeUndefined()
})

test('what the event loop brought counts as taken', async () => {
  const { a, b, heard } = pair()
  a.say('one')
  await heardAll(heard, 1)
  a.say('two')
  expect([b.take(), b.take()]).toEqual(['two', undefined])
  b.say('back')
  expect(a.take()).toBe('back')
})

test('what was said before the other end was there is not lost, nor is what comes after', async () => {
  const heard: string[] = []
  const [here, there] = lineEnds()
  const a = new Line<string, string>(here, () => {})
  a.say('early')
  const b = new Line<string, string>(there, (message) => heard.push(message))
  open.push(a, b)
  await heardAll(heard, 1)
  a.say('later')
  expect([heard, b.take()]).toEqual([['early'], 'later'])
})

test('words of an end that died before it counted them are there', () => {
  const { b, ends } = pair()
  ends[0]!.port.postMessage('last')
  expect(b.take()).toBeUndefined()
  expect(b.takeLast()).toBe('last')
})
