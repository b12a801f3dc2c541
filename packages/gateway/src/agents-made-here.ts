/**
 * Agents that were made over HTTP, as the runtime asks for them: by tenant and name, from the documents, and made anew
 * only when their document changed.
 */
import type { Agent } from '@holdpoint/core'
import { agentFromConfig, HoldpointError, type ConfigEnv } from 'holdpoint'
import { find, type Documents } from './documents.ts'

/** The kind of document that an agent is kept as. */
export const AGENT = 'agent'

export type Offer = Omit<ConfigEnv, 'tenant'>

/** The secrets that were asked for, in `known` too: whoever knows them can take them out of what leaves. */
export function remembering(secrets: NonNullable<Offer['secrets']>, known: Set<string>): typeof secrets {
  return async (tenant, name) => {
    const secret = await secrets(tenant, name)
    if (secret !== undefined) known.add(secret)
    return secret
  }
}

export interface AgentsMadeHere {
  agentFor(tenant: string, name: string): Promise<Agent | undefined>
  /** An agent as JSON: what it is made of, or in words what is wrong with it. */
  read(config: unknown): Agent | string
}

export function agentsMadeHere(documents: Documents, offer: Offer): AgentsMadeHere {
  const made = new Map<string, { readonly version: number; readonly agent: Agent }>()
  return {
    agentFor: async (tenant, name) => {
      const key = JSON.stringify([tenant, name])
      const doc = await find(documents, tenant, AGENT, name)
      if (!doc) {
        made.delete(key)
        return undefined
      }
      const known = made.get(key)
      if (known?.version === doc.version) return known.agent
      const agent = agentFromConfig(doc.data, { ...offer, tenant })
      made.set(key, { version: doc.version, agent })
      return agent
    },
    read: (config) => {
      try {
        return agentFromConfig(config, { ...offer, tenant: '' })
      } catch (error) {
        if (HoldpointError.is(error)) return error.message
        throw error
      }
    },
  }
}
