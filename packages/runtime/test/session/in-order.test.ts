import { expect, test } from 'vitest'
import { SerialQueue } from '../../src/log/serial-queue.ts'
import { tick } from '../../../../test/kit/session-kit.ts'

function pieces(count: number) {
  const order = new SerialQueue()
  const began: number[] = []
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const done = gates.map(({ promise }, index) => order.run(() => (began.push(index), promise)))
  for (const each of done) each.catch(() => {})
  return { began, gates, done }
}

test('each piece of work begins when the one before it is done', async () => {
  const { began, gates, done } = pieces(3)
  gates[2]?.resolve()
  gates[1]?.resolve()
  await tick()
  expect(began).toEqual([0])

  gates[0]?.resolve()
  await Promise.all(done)

  expect(began).toEqual([0, 1, 2])
})

test('after a failure all that wait begin at once, and only the one that failed is told', async () => {
  const { began, gates, done } = pieces(4)
  gates[0]?.reject(new Error('away'))
  await expect(done[0]).rejects.toThrow('away')
  await tick()
  expect(began).toEqual([0, 1, 2, 3])

  for (const { resolve } of gates) resolve()
  expect(await Promise.all(done.slice(1))).toHaveLength(3)
})
