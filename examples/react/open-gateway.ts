/** Starts a gateway with these agents, and connects a client to it. */
import { holdpoint, memoryStore, type Agent } from 'holdpoint'
import { connect, type Client } from '@holdpoint/client'
import { serve } from '@holdpoint/gateway'

export async function openGateway(
  agents: readonly Agent[],
): Promise<{ readonly client: Client; close(): Promise<void> }> {
  const store = memoryStore()
  const runtime = await holdpoint({ store, agents })
  const served = await serve({ runtime, store, agents })
  const { key } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'], mayActFor: true })
  return { client: connect({ url: served.url, key }), close: () => served.close() }
}
