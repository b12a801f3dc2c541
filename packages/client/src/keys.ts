import { paths, type CallerRow, type CreatedKey, type CreateKey, type KeyRow, type ListOf } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface Keys {
  /** The owner of this client's key or token. */
  me(options?: RequestOptions): Promise<CallerRow>
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<KeyRow>>
  /** The response has the key. It cannot be read later. */
  create(key: CreateKey, options?: RequestOptions): Promise<CreatedKey>
  revoke(id: string, options?: RequestOptions): Promise<void>
}

export function keysOf(http: Http): Keys {
  return {
    me: (options) => http.get(paths.me(), options),
    list: (query, options) => http.get(paths.keys(), options, query),
    create: (body, options) => http.post(paths.keys(), body, options),
    revoke: async (id, options) => http.ask({ ...options, method: 'DELETE', path: paths.key(id) }),
  }
}
