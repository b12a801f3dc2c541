/** Agents as JSON, as they are kept: for whoever makes agents of them. */
import type { JsonObject } from '@holdpoint/core'
import { find, type Documents } from './documents.ts'

export const AGENT = 'agent'

/** Undefined when the tenant has none of that name. */
export async function agentConfig(documents: Documents, tenant: string, name: string): Promise<JsonObject | undefined> {
  const doc = await find(documents, tenant, AGENT, name)
  return doc && (doc.data as JsonObject)
}
