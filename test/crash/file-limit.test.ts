/** On files that may not grow any more: the way to fill a disk that needs no rights. */
import { proves } from '@holdpoint/testing'
import { beforeAll, expect, test } from 'vitest'
import { fillAndFree, shortFiles } from './full-disk.ts'
import { build } from './places.ts'

beforeAll(build, 60_000)

test(
  proves(
    'bad-input.nothing-half-written',
    'call.never-after-outcome',
    'files that cannot grow refuse what is sent, and a result that came meanwhile is kept until there is room',
  ),
  async ({ skip }) => {
    const disk = shortFiles()
    if (!disk) return skip('there is no prlimit here')
    expect(await fillAndFree(disk, /the disk (is full|failed)/)).toBe(1)
  },
  60_000,
)
