/** Whether an agent with this name exists, in the program's code or created over HTTP. */
import { AGENT_DOCUMENT } from './stored-agents.ts'
import { find } from './document-store.ts'
import type { GatewayServices } from './gateway-services.ts'

export async function agentExists(
  { agents, documents }: Pick<GatewayServices, 'agents' | 'documents'>,
  tenant: string,
  name: string,
): Promise<boolean> {
  if (agents.some((each) => each.name === name)) return true
  return (await find(documents, tenant, AGENT_DOCUMENT, name)) !== undefined
}
