/**
 * Agents that were created over HTTP and are stored as documents. The runtime asks for them by tenant and name. An
 * agent is built once per version of its document. Its schemas are untrusted, so they are compiled and checked off the
 * main thread.
 */
import type { Agent, Document } from '@holdpoint/core'
import { agentFromConfig, checkAgentConfig, HoldpointError, schemaChecks, type ConfigEnv } from 'holdpoint'
import { find, type DocumentStore } from './document-store.ts'
import { LIMITS } from './gateway-options.ts'

/** The kind of document that stores an agent. */
export const AGENT_DOCUMENT = 'agent'

export type StoredAgentsOptions = Omit<ConfigEnv, 'tenant'>

/** Adds every secret that is read to `known`, so that the gateway can redact it from its output. */
export function rememberSecrets(
  secrets: NonNullable<StoredAgentsOptions['secrets']>,
  known: Set<string>,
): typeof secrets {
  return async (tenant, name) => {
    const secret = await secrets(tenant, name)
    if (secret !== undefined) known.add(secret)
    return secret
  }
}

export interface StoredAgents {
  agentFor(tenant: string, name: string): Promise<Agent | undefined>
  /**
   * Checks a new definition. Returns the agent, or a message about what is invalid. `maxSteps`: the most it may ask
   * for.
   */
  check(config: unknown, tenant?: string, maxSteps?: number): Promise<Agent | string>
  /** Builds the agent of a stored document, which was checked before. Compiles nothing. */
  load(doc: Document, tenant?: string): Agent | string
}

/** How many agents are cached; the least recently used is dropped first. */
const MAX_CACHED = 1000

export function storedAgents(documents: DocumentStore, options: StoredAgentsOptions): StoredAgents {
  const env = { schemas: schemaChecks(), maxSteps: LIMITS.maxSteps, ...options }
  const cache = new Map<string, Agent>()
  const build = ({ id, version, at, data }: Document, tenant: string): Agent => {
    // The version alone is not unique: it starts at 1 again when a removed agent is created again.
    const key = JSON.stringify([tenant, id, version, at])
    const agent = cache.get(key) ?? agentFromConfig(data, { ...env, tenant })
    cache.delete(key)
    cache.set(key, agent)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
    return agent
  }
  return {
    agentFor: async (tenant, name) => {
      const doc = await find(documents, tenant, AGENT_DOCUMENT, name)
      return doc && build(doc, tenant)
    },
    check: async (config, tenant = '', maxSteps = Infinity) => {
      try {
        return await checkAgentConfig(config, { ...env, tenant, maxSteps: Math.min(env.maxSteps, maxSteps) })
      } catch (error) {
        return configErrorMessage(error)
      }
    },
    load: (doc, tenant = '') => {
      try {
        return build(doc, tenant)
      } catch (error) {
        return configErrorMessage(error)
      }
    },
  }
}

function configErrorMessage(error: unknown): string {
  if (HoldpointError.is(error)) return error.message
  throw error
}
