import { paths, type AgentBody, type AgentRow, type ListOf } from '@holdpoint/protocol'
import { orUndefined } from './answers.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface Agents {
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<AgentRow>>
  /** Undefined when there is none. */
  show(name: string, options?: RequestOptions): Promise<AgentRow | undefined>
  create(agent: AgentBody, options?: RequestOptions): Promise<AgentRow>
  /** With `version`, only if nobody changed it since. */
  update(agent: AgentBody, options?: RequestOptions & { readonly version?: number }): Promise<AgentRow>
  remove(name: string, options?: RequestOptions): Promise<void>
}

export function agentsOf(http: Http): Agents {
  return {
    list: (query, options) => http.ask({ ...options, method: 'GET', path: paths.agents(), query: { ...query } }),
    show: async (name, options) =>
      orUndefined(http.ask({ ...options, method: 'GET', path: paths.agent(name) }), 'not-found'),
    create: (body, options) => http.ask({ ...options, method: 'POST', path: paths.agents(), body }),
    update: async (body, { version, ...options } = {}) =>
      http.ask({ ...options, method: 'PUT', path: paths.agent(body.name), query: { version }, body }),
    remove: async (name, options) => http.ask({ ...options, method: 'DELETE', path: paths.agent(name) }),
  }
}
