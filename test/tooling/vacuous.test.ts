/** Checks that would pass because they did nothing must fail instead. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { wholeNumber } from '../../scripts/lib/whole-number.ts'
import { root } from '../../scripts/lib/workspace.ts'
import { neverStruck } from '../../sim/never-struck.ts'
import { Misuse, optionsOf } from '../../bench/options.ts'

function run(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--conditions=@holdpoint/source', ...args], { cwd: root, encoding: 'utf8' })
}

test.each([
  ['sim/main.ts', '--seeds', 'abc', '--seeds is a whole number from 1, not "abc"'],
  ['sim/main.ts', '--seed', '', '--seed is a whole number from 1, not ""'],
  ['sim/main.ts', '--from', '-3', 'from'],
  ['crash/main.ts', '--kills', '0x', '--kills is a whole number from 1, not "0x"'],
  ['sim/zoo.ts', 'no-such-bug', '', 'No bug has "no-such-bug" in its name'],
])('%s with %s %s stops and says why', (program, option, value, why) => {
  const { status, stdout, stderr } = run(program, option, value)
  expect(status).not.toBe(0)
  expect(stderr).toContain(why)
  expect(stdout).toBe('')
})

test.each(['', ' ', '0', '-1', '1.5', '1e3', '0x10', 'NaN', 'Infinity', '9'.repeat(20)])(
  '%j is not a whole number',
  (given) => {
    expect(() => wholeNumber('seeds', given)).toThrow('--seeds is a whole number from 1')
  },
)

test.each(['', '0', 'abc', '-1', '1.5', 'Infinity'])('a benchmark does not run %j times', (given) => {
  expect(() => optionsOf(['w1', '--store', 'sqlite', '--rounds', given], ['w1'])).toThrow(Misuse)
})

test('a long simulation in which a kind of fault never struck is not a pass; a short one may miss some', () => {
  expect(neverStruck(2000, { kill: 3, pause: 0 })).toEqual(['pause'])
  expect(neverStruck(2000, { kill: 3, pause: 1 })).toEqual([])
  expect(neverStruck(1999, { kill: 3, pause: 0 })).toEqual([])
})
