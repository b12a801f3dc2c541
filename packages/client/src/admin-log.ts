import type { SigningKey } from '@holdpoint/runtime'
import { firstBrokenAdminEntry, paths, type AdminEntry, type ListOf } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface AdminLog {
  /** Newest first. */
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<AdminEntry>>
  /** The public keys of the installation, oldest first. `current`: the fingerprint of the one in use. */
  signingKeys(options?: RequestOptions): Promise<SigningKeys>
  /** Reads the whole log and checks its chain. `head`: the hash of the newest entry. Keep it, and compare it later. */
  verify(options?: RequestOptions): Promise<AdminLogCheck>
}

export interface SigningKeys {
  readonly items: readonly SigningKey[]
  readonly current?: string
}

export interface AdminLogCheck {
  readonly entries: number
  readonly head?: string
  /** The number of the first entry that was changed or is missing. */
  readonly broken?: number
}

const PAGE = 1000

export function adminLogOf(http: Http): AdminLog {
  const list: AdminLog['list'] = (query, options) => http.get(paths.adminLog(), options, query)
  return {
    list,
    signingKeys: (options) => http.get(paths.signingKeys(), options),
    verify: async (options) => {
      const all: AdminEntry[] = []
      for (let after: string | undefined; ;) {
        const page = await list({ limit: PAGE, ...(after !== undefined && { after }) }, options)
        all.push(...page.items)
        if (page.next === undefined) break
        after = page.next
      }
      const entries = all.toReversed()
      // The first entry has no predecessor: a log that begins later lost its beginning.
      const broken = entries[0] && entries[0].n !== 1 ? 1 : firstBrokenAdminEntry(entries)
      const head = all[0]?.hash
      return { entries: all.length, ...(head !== undefined && { head }), ...(broken !== undefined && { broken }) }
    },
  }
}
