/** The people of a tenant, and delegations between them. */
import {
  paths,
  type DelegationRow,
  type DelegationsQuery,
  type ErasePerson,
  type ExportLine,
  type ListOf,
  type PersonErased,
  type PersonRow,
  type PersonSessionRow,
} from '@holdpoint/protocol'
import { exportLines } from './export-lines.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface People {
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<PersonRow>>
  /** The name and the groups that this person has when a key or a delegate acts for them. */
  put(person: PersonRow, options?: RequestOptions): Promise<PersonRow>
  /** Their open holds lose them as assignee. */
  remove(id: string, options?: RequestOptions): Promise<void>
  /** Hands over the open holds that are assigned to this person: to another person, or to no one. */
  handOver(id: string, options?: RequestOptions & { readonly to?: string }): Promise<{ readonly holds: number }>
  /** Everything that is stored about this person, line by line. Throws when the export is incomplete. */
  export(id: string, options?: Omit<RequestOptions, 'key'>): AsyncGenerator<ExportLine, void, undefined>
  /** Erases what is stored about this person, and says what stays. It reads every log of the tenant. */
  erase(id: string, options?: RequestOptions & ErasePerson): Promise<PersonErased>
  /** The browsers in which this person is signed in. */
  sessions(id: string, query?: PageQuery, options?: RequestOptions): Promise<ListOf<PersonSessionRow>>
  /** Ends all sessions of this person, and their streams. */
  endSessions(id: string, options?: RequestOptions): Promise<void>
}

/** The browsers in which the caller is signed in. */
export interface PersonSessions {
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<PersonSessionRow>>
  /** Ends one, and its streams. */
  end(id: string, options?: RequestOptions): Promise<void>
  /** Ends all but the session of this request. */
  endOthers(options?: RequestOptions): Promise<void>
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
    handOver: async (id, { to, ...options } = {}) => http.post(paths.handOver(id), { to }, options),
    export: (id, options) => exportLines(http, paths.personExport(id), options),
    erase: async (id, { to, reason, ...options } = {}) =>
      http.post(
        paths.personErase(id),
        { ...(to !== undefined && { to }), ...(reason !== undefined && { reason }) },
        options,
      ),
    sessions: (id, query, options) => http.get(paths.personSessions(id), options, query),
    endSessions: async (id, options) => http.ask({ ...options, method: 'DELETE', path: paths.personSessions(id) }),
  }
}

export function personSessionsOf(http: Http): PersonSessions {
  return {
    list: (query, options) => http.get(paths.mySessions(), options, query),
    end: async (id, options) => http.ask({ ...options, method: 'DELETE', path: paths.mySession(id) }),
    endOthers: async (options) => http.ask({ ...options, method: 'DELETE', path: paths.mySessions() }),
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
