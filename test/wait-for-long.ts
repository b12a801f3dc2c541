/**
 * `vi.waitFor` gives up after one second by default. On a host that takes most of the processor away, a condition that is
 * about to hold needs longer, so the default is a minute here. A test that gives its own limit keeps it.
 */
import { vi } from 'vitest'

const MINUTE = 60_000
const waitFor = vi.waitFor.bind(vi)

vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: MINUTE, ...options })
