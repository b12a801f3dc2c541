import { expect, test } from 'vitest'
import { manualClock, proves, testPorts } from '../src/index.ts'

const never = new AbortController().signal

test('time stands still until it is moved, and sleepers wake in the order of their deadlines', async () => {
  const clock = manualClock(1000)
  const woke: [string, number][] = []
  void clock.sleep(50, never).then(() => woke.push(['late', clock.now()]))
  void clock.sleep(10, never).then(() => woke.push(['early', clock.now()]))
  await clock.advance(49)
  expect(woke).toEqual([['early', 1010]])
  expect(clock.sleeping).toBe(1)
  await clock.advance(1)
  expect(woke).toEqual([
    ['early', 1010],
    ['late', 1050],
  ])
})

test('who falls asleep while time moves wakes in the same move, if that is due', async () => {
  const clock = manualClock(0)
  let woke = 0
  void clock
    .sleep(10, never)
    .then(() => clock.sleep(10, never))
    .then(() => (woke = clock.now()))
  await clock.advance(25)
  expect(woke).toBe(20)
  expect(clock.now()).toBe(25)
})

test('an aborted sleep is over at once', async () => {
  const clock = manualClock()
  const controller = new AbortController()
  const asleep = clock.sleep(1000, controller.signal)
  controller.abort()
  await asleep
  await clock.sleep(1000, controller.signal)
  expect(clock.sleeping).toBe(0)
})

test('ports for tests leave nothing to chance', () => {
  const draw = (seed: number): number[] => {
    const ports = testPorts({ seed })
    return [ports.random(), ports.random(), ports.random()]
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  for (const number of draw(7)) expect(number >= 0 && number < 1).toBe(true)
  const ports = testPorts()
  expect([ports.id(), ports.id()]).toEqual(['id-1', 'id-2'])
})

test('a title shows what its test proves', () => {
  const [one, two] = ['log.no-gaps', 'call.one-outcome'] as const
  expect(proves(one, two, 'it holds')).toBe('it holds [log.no-gaps, call.one-outcome]')
})
