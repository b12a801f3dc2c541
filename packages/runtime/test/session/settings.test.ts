/** Settings that were meant to do something and would not: each is refused, with what there is. */
import { agent } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { expect, test } from 'vitest'

const run = (): undefined => undefined

test.each([
  ['retry', { maxAttempts: 5 }, '"retry" has no setting "maxAttempts". It takes attempts, firstDelayMs, maxDelayMs.'],
  ['retry', { attempts: '3' }, '"retry.attempts" must be a whole number from 1, not "3".'],
  ['retry', { attempts: 2.5 }, '"retry.attempts" must be a whole number from 1, not 2.5.'],
  ['retry', { maxDelayMs: Infinity }, '"retry.maxDelayMs" must be a number of milliseconds, not Infinity.'],
  ['audit', { ttl: '1 day' }, '"audit" has no setting "ttl". It takes keep.'],
  ['audit', { keep: 'long' }, '"audit.keep" must be a duration, such as \'7 days\', not "long".'],
  ['hooks', { beforeMessage: [{ parallel: 'x', name: 'n', run }] }, 'a group in "hooks.beforeMessage" must be { parallel: [hooks] }'], // prettier-ignore
  ['hooks', { beforeMessage: [{ parallel: [], durable: true }] }, 'a group in "hooks.beforeMessage" must be { parallel: [hooks] }'], // prettier-ignore
  ['hooks', { beforeMessage: [{ name: 'n', durabel: true, run }] }, 'a hook in "hooks.beforeMessage" ("n") has no setting "durabel". It takes name, run, timeout, durable.'], // prettier-ignore
  ['hooks', { beforeMessage: [{ name: 'n', durable: 'no', run }] }, '("n") has a "durable" that is neither true nor false: "no"'], // prettier-ignore
  [
    'hooks',
    { beforeCall: [{ name: 'n', durable: true, run }] },
    'has no setting "durable". It takes name, run, timeout.',
  ],
  ['hooks', { onStream: [{ name: 'n', open: run, timeout: '1 s' }] }, 'has no setting "timeout". It takes name, open.'],
])('%s: %j is refused', (setting, value, message) => {
  const define = (): unknown => agent({ name: 'desk', model: scriptedModel([]), [setting]: value })
  expect(define).toThrow(message)
})

test('everything there is may be set at once', () => {
  const { name } = agent({
    name: 'desk',
    model: scriptedModel([]),
    retry: { attempts: 1, firstDelayMs: 0, maxDelayMs: 10 },
    audit: { keep: '1 day' },
    hooks: {
      beforeMessage: [{ parallel: [{ name: 'a', durable: true, timeout: '1 s', run }] }],
      onStream: [{ name: 'b', open: () => ({ part: (part) => part }) }],
    },
  })
  expect(name).toBe('desk')
})
