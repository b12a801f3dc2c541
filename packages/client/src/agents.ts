import type { Plan, PlanRequest } from '@holdpoint/core'
import {
  paths,
  type AgentBody,
  type AgentRow,
  type AutonomousAgentBody,
  type ListOf,
  type TriggerBody,
  type Triggered,
} from '@holdpoint/protocol'
import { NOT_FOUND, orRefused, orUndefined, type Refused } from './answers.ts'
import { erase, type EraseOptions } from './erase.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface Agents {
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<AgentRow>>
  /** Undefined if the agent does not exist. */
  show(name: string, options?: RequestOptions): Promise<AgentRow | undefined>
  create(agent: AgentBody, options?: RequestOptions): Promise<AgentRow>
  /** With `version`, only if the agent still has that version. */
  update(agent: AgentBody, options?: RequestOptions & { readonly version?: number }): Promise<AgentRow>
  remove(name: string, options?: RequestOptions): Promise<void>
  /** The inbox, goals, memories and plans of an autonomous agent. Undefined if the agent does not exist. */
  life(name: string, options?: RequestOptions): Promise<AutonomousAgentBody | undefined>
  /** Notifies the agent of an event. The agent wakes and handles the event once. */
  trigger(name: string, trigger: TriggerBody, options?: RequestOptions): Promise<Triggered>
  /** The earliest first. */
  plans(name: string, options?: RequestOptions): Promise<readonly Plan[]>
  /** Creates a plan, or changes the plan with that id. */
  setPlan(name: string, plan: PlanRequest, options?: RequestOptions): Promise<Plan>
  /**
   * Erases the log of an autonomous agent, with its goals, memories and plans. A tombstone remains, and the agent wakes no
   * more. Refused while it works, a call is held or a plan waits, unless `cancel` is set.
   */
  erase(name: string, options?: EraseOptions): Promise<{ readonly ok: true } | Refused>
  removePlan(name: string, id: string, options?: RequestOptions): Promise<void>
}

export function agentsOf(http: Http): Agents {
  return {
    list: (query, options) => http.get(paths.agents(), options, query),
    show: async (name, options) => orUndefined(http.get(paths.agent(name), options), NOT_FOUND),
    create: (body, options) => http.post(paths.agents(), body, options),
    update: async (body, { version, ...options } = {}) =>
      http.ask({ ...options, method: 'PUT', path: paths.agent(body.name), query: { version }, body }),
    remove: async (name, options) => http.ask({ ...options, method: 'DELETE', path: paths.agent(name) }),
    life: async (name, options) => orUndefined(http.get(paths.autonomousAgent(name), options), NOT_FOUND),
    trigger: async (name, body, options) => http.post(paths.trigger(name), body, options),
    plans: async (name, options) => {
      const { items } = await http.get<ListOf<Plan>>(paths.plans(name), options)
      return items
    },
    setPlan: async (name, body, options) => http.post(paths.plans(name), body, options),
    erase: async (name, options) => orRefused(erase(http, paths.autonomousAgent(name), options)),
    removePlan: async (name, id, options) => http.ask({ ...options, method: 'DELETE', path: paths.plan(name, id) }),
  }
}
