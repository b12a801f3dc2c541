import { nodeNetwork } from './connect.ts'
import { guardedFetchOn } from './guarded-fetch-on.ts'
import type { GuardedFetch, GuardedFetchOptions } from './guarded-fetch-options.ts'

/** `fetch` through the guard of HTTP tools. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return guardedFetchOn(nodeNetwork, options)
}
