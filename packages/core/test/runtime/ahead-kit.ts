/** Models and stores that take their time, for the time between what is said and when it is written. */
import type { Append, Model } from '@holdpoint/core'
import { expect } from 'vitest'
import { calls, types, writesOf, type Process } from './kit.ts'

export const says = [calls('work'), 'Done.']

/** What each write of a conversation holds. */
export const writes = (process: Process): readonly (readonly string[])[] =>
  writesOf(process).map(({ events }) => types(events))

/** A model that speaks when it is let. */
export function thinker(text: string): {
  readonly model: Model
  readonly asked: () => number
  readonly spoken: () => boolean
  speak(): void
} {
  const speaking = Promise.withResolvers<void>()
  let asked = 0
  let spoken = false
  const model: Model = {
    id: 'thinker',
    async *stream() {
      asked++
      await speaking.promise
      yield { type: 'text', id: 't', delta: text }
      spoken = true
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, asked: () => asked, spoken: () => spoken, speak: speaking.resolve }
}

/** A model that thinks until it is told to stop. */
export function brooder(): { readonly model: Model; readonly signals: readonly AbortSignal[] } {
  const signals: AbortSignal[] = []
  const model: Model = {
    id: 'brooder',
    async *stream({ signal }) {
      signals.push(signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, signals }
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
