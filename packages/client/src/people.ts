/** The people of a tenant, and delegations between them. */
import { paths, type DelegationRow, type DelegationsQuery, type ListOf, type PersonRow } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface People {
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<PersonRow>>
  /** The name and the groups that this person has when a key or a delegate acts for them. */
  put(person: PersonRow, options?: RequestOptions): Promise<PersonRow>
  remove(id: string, options?: RequestOptions): Promise<void>
}

export interface Delegations {
  /** Delegations to the caller; with `view: 'given'`, delegations from the caller. */
  list(query?: DelegationsQuery, options?: RequestOptions): Promise<ListOf<DelegationRow>>
  /** Lets `to` decide in place of the caller, until that time. */
  put(
    to: string,
    delegation: { readonly until: number; readonly by?: string },
    options?: RequestOptions,
  ): Promise<DelegationRow>
  /** Ends the delegation from the caller to this person. */
  remove(to: string, options?: RequestOptions & { readonly by?: string }): Promise<void>
}

export function peopleOf(http: Http): People {
  return {
    list: (query, options) => http.get(paths.people(), options, query),
    put: async ({ id, ...body }, options) => http.ask({ ...options, method: 'PUT', path: paths.person(id), body }),
    remove: async (id, options) => http.ask({ ...options, method: 'DELETE', path: paths.person(id) }),
  }
}

export function delegationsOf(http: Http): Delegations {
  return {
    list: (query, options) => http.get(paths.delegations(), options, query),
    put: async (to, body, options) => http.ask({ ...options, method: 'PUT', path: paths.delegation(to), body }),
    remove: async (to, { by, ...options } = {}) =>
      http.ask({ ...options, method: 'DELETE', path: paths.delegation(to), query: { by } }),
  }
}
