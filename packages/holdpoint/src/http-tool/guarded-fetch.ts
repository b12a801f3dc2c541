import { nodeNetwork } from './connect.ts'
import { guardedFetchOn } from './guarded-fetch-on.ts'
import type { GuardedFetch, GuardedFetchOptions } from './guarded-fetch-options.ts'

/** `fetch` with the address check of HTTP tools. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return guardedFetchOn(nodeNetwork, options)
}
