/** Tests with a limit on file size, which simulates a full disk without special rights. */
import { proves } from '@holdpoint/testing'
import { beforeAll, expect, test } from 'vitest'
import { fillAndFree, shortFiles } from './full-disk.ts'
import { build } from './places.ts'

beforeAll(build)

test(
  proves(
    'bad-input.nothing-half-written',
    'call.never-after-outcome',
    'with files that cannot grow, sends are refused, and a result is kept until there is space',
  ),
  async ({ skip }) => {
    const disk = shortFiles()
    if (!disk) return skip('there is no prlimit here')
    expect(await fillAndFree(disk, /the disk (is full|failed)/)).toBe(1)
  },
  240_000,
)
