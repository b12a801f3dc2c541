/** Whether there is an agent of this name: one of the program's, or one that was made over HTTP. */
import { AGENT } from './agents-made-here.ts'
import { find } from './documents.ts'
import type { Services } from './services.ts'

export async function isAgent(
  { agents, documents }: Pick<Services, 'agents' | 'documents'>,
  tenant: string,
  name: string,
): Promise<boolean> {
  if (agents.some((each) => each.name === name)) return true
  return (await find(documents, tenant, AGENT, name)) !== undefined
}
