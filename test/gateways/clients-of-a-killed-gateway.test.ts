/** When a gateway is killed, its clients are gone too. Another gateway gives up their calls, unless the clients reconnect. */
import { connect, type LiveConversation } from '@holdpoint/client'
import { proves } from '@holdpoint/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freshDatabase } from './fresh-database.ts'
import { GatewayProcess, KEY } from './gateway-process.ts'

test(
  proves(
    'expiry.survives-kill',
    'the client calls of a killed gateway are given up by another one, unless the client reconnects there',
  ),
  async () => {
    const store = await freshDatabase()
    const [steady, mortal] = [await GatewayProcess.start(store, ''), await GatewayProcess.start(store, '')]
    onTestFinished(() => (steady.kill(), mortal.kill()))
    const client = connect({ url: steady.url, key: KEY })
    const gone = pageOn(mortal.url, 'gone')
    const moves = pageOn(mortal.url, 'moves')
    const outcome = async (id: string): Promise<unknown> =>
      (await client.conversations.view(id))?.turns.at(-1)?.steps[0]?.calls[0]?.outcome

    // Wait until both pages are connected before their tools are called.
    for (const id of ['gone', 'moves']) await client.conversations.send(id, 'hello', { agent: 'desk' })
    for (const page of [gone, moves]) await vi.waitFor(() => expect(page.connection.state).toBe('live'), 30_000)
    for (const id of ['gone', 'moves']) await client.conversations.send(id, 'photo', { whileBusy: 'queue' })
    const held = Date.now()
    // Longer than the grace period of two seconds.
    await vi.waitFor(() => expect(Date.now() - held).toBeGreaterThan(5000), 10_000)
    for (const id of ['gone', 'moves']) expect(await outcome(id), id).toBeUndefined()

    mortal.kill()
    const moved = pageOn(steady.url, 'moves')
    await vi.waitFor(async () => expect(await outcome('gone')).toMatchObject({ error: { code: 'no-client' } }), {
      timeout: 40_000,
      interval: 200,
    })
    expect(await outcome('moves')).toBeUndefined()
    const [hold] = (await client.holds.list({ conversationId: 'moves' })).items
    expect(await client.holds.answer('moves', hold?.callId ?? '', 'smiling')).toMatchObject({ verdict: 'accepted' })
    for (const page of [gone, moves, moved]) page.close()
  },
  480_000,
)

/** A connected page whose tool never finishes. */
function pageOn(url: string, id: string): LiveConversation {
  const page = connect({ url, key: KEY }).conversation(id)
  page.tools({ photo: { run: () => new Promise(() => {}) } })
  return page
}
