/**
 * The assertions of cases. They compare values as JSON, and ignore the order of keys and undefined members, because the rows of a
 * database driver need not be plain objects.
 */
import { AssertionError } from 'node:assert'
import { canonical, type Json } from '@holdpoint/core'

/** Longer values are cut in messages. */
const SHOWN = 2000

export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [textOf(actual), textOf(expected)]
  if (is === should) return
  const short = Math.max(is.length, should.length) <= SHOWN
  throw new AssertionError({
    message: `${what}: expected ${cut(should)}, got ${cut(is)}`,
    ...(short ? { actual, expected } : {}),
    operator: 'same',
  })
}

export function holds(fact: boolean, what: string): asserts fact {
  if (!fact) fail(what)
}

export function fail(what: string): never {
  throw new AssertionError({ message: what, operator: 'fail' })
}

export function textOf(value: unknown): string {
  return value === undefined ? 'undefined' : canonical(value as Json)
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`
}
