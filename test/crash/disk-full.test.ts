/** Tests on a small file system that is really full. */
import { proves } from '@holdpoint/testing'
import { beforeAll, expect, test } from 'vitest'
import { fillAndFree, smallDisk } from './full-disk.ts'
import { build } from './places.ts'

beforeAll(build)

test(
  proves(
    'bad-input.nothing-half-written',
    'call.never-after-outcome',
    'with a full disk, sends are refused, and a result is kept until there is space',
  ),
  async ({ skip }) => {
    const disk = smallDisk()
    if (!disk) return skip('only who may mount a tmpfs can run this; see file-limit.test.ts for the way without')
    expect(await fillAndFree(disk, /the disk is full/)).toBe(1)
  },
  240_000,
)
