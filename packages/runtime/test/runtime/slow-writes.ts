/** Models that reply when the test says so, and appends that stay on their way until the test lets them through. */
import type { Append, Model } from '@holdpoint/core'
import { expect } from 'vitest'
import { calls, types, writesOf, type Process } from '../../../../test/kit/runtime-kit.ts'

export const says = [calls('work'), 'Done.']

/** What each write of a conversation holds. */
export const writes = (process: Process): readonly (readonly string[])[] =>
  writesOf(process).map(({ events }) => types(events))

/** A model that replies when `speak` is called. */
export function thinker(text: string): {
  readonly model: Model
  readonly asked: () => number
  speak(): void
} {
  const speaking = Promise.withResolvers<void>()
  let asked = 0
  const model: Model = {
    id: 'thinker',
    async *stream() {
      asked++
      await speaking.promise
      yield { type: 'text', id: 't', delta: text }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, asked: () => asked, speak: speaking.resolve }
}

export const opens = ({ events }: Append): boolean => events.some(({ type }) => type === 'turn.started')

/** The store may be kept from answering meanwhile, which `until` would wait for. */
export async function comes(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 1000 && !condition(); turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(condition(), condition.toString()).toBe(true)
}

/** An append that stays on its way until it is let through. */
export function held(which: (write: Append) => boolean): {
  before(question: string, given: readonly unknown[]): unknown
  let(): void
  readonly met: number
} {
  const way = Promise.withResolvers<void>()
  let met = 0
  return {
    before: (question, given) => {
      if (question !== 'append' || !which(given[0] as Append)) return undefined
      met++
      return way.promise
    },
    let: way.resolve,
    get met() {
      return met
    },
  }
}
