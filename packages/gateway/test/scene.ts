/** A tenant in which there is one of everything: what the rows of the contract ask for. */
import type { Kit, Tenant } from './kit.ts'
import { shipping } from './kit.ts'

export interface Scene {
  /** A conversation that is over. */
  readonly talk: string
  /** One that waits for an approval, and the call. */
  readonly refund: { readonly id: string; readonly callId: string }
  /** One that waits for a worker; the call is claimed. */
  readonly shipped: { readonly id: string; readonly callId: string; readonly runId: string; readonly claim: string }
  /** An agent made from JSON. */
  readonly agent: string
  /** The id of a key that nobody uses. */
  readonly keyId: string
}

export async function sceneOf(kit: Kit, tenant: Tenant): Promise<Scene> {
  const { ask } = kit
  const say = (id: string, content: string): ReturnType<Kit['ask']> =>
    ask('POST', `/api/conversations/${id}/messages?wait=5`, { tenant, body: { content } })
  await say('talk', 'hello')
  const held = await say('refunded', 'refund 5')
  const callId = await shipping(kit, 'shipped', tenant)
  const claimed = await ask('POST', '/api/calls/claim', { tenant, as: 'worker', body: { tools: ['ship'] } })
  await ask('POST', '/api/agents', { tenant, body: { name: 'helper', tools: [] } })
  const key = await ask('POST', '/api/keys', { tenant, body: { name: 'spare', scopes: ['reader'] } })
  return {
    talk: 'talk',
    refund: { id: 'refunded', callId: held.body.result.holds[0].callId },
    shipped: { id: 'shipped', callId, runId: callId.split('.')[0] ?? '', claim: claimed.body.items[0].claim },
    agent: 'helper',
    keyId: key.body.id,
  }
}
