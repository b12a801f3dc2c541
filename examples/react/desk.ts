/** A gateway with the agent of agents.ts, and a client of it. */
import { holdpoint, memoryStore } from 'holdpoint'
import { connect, type Client } from '@holdpoint/client'
import { serve } from '@holdpoint/gateway'
import { agents } from './agents.ts'

export async function openDesk(): Promise<{ readonly client: Client; close(): Promise<void> }> {
  const store = memoryStore({ now: Date.now })
  const runtime = await holdpoint({ store, agents })
  const served = await serve({ runtime, store, agents })
  const { key } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'] })
  return { client: connect({ url: served.url, key }), close: () => served.close() }
}
