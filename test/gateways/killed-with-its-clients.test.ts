/** The pages of a gateway that is killed are gone with it, and another gateway gives their calls up, or finds them back. */
import { connect, type LiveConversation } from '@holdpoint/client'
import { proves } from '@holdpoint/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freshDatabase } from './fresh-database.ts'
import { GatewayProcess, KEY } from './process.ts'

test(
  proves(
    'expiry.survives-kill',
    'a call whose page was on a gateway that was killed is given up by another, unless the page finds it there',
  ),
  async () => {
    const store = await freshDatabase()
    const [steady, mortal] = [await GatewayProcess.start(store, ''), await GatewayProcess.start(store, '')]
    onTestFinished(() => (steady.kill(), mortal.kill()))
    const desk = connect({ url: steady.url, key: KEY })
    const gone = pageOn(mortal.url, 'gone')
    const moves = pageOn(mortal.url, 'moves')
    const outcome = async (id: string): Promise<unknown> =>
      (await desk.conversations.view(id))?.turns.at(-1)?.steps[0]?.calls[0]?.outcome

    // The pages are there before they are needed, however long they take to come.
    for (const id of ['gone', 'moves']) await desk.conversations.send(id, 'hello', { agent: 'desk' })
    for (const page of [gone, moves]) await vi.waitFor(() => expect(page.connection.state).toBe('live'), 30_000)
    for (const id of ['gone', 'moves']) await desk.conversations.send(id, 'photo', { whileBusy: 'queue' })
    const held = Date.now()
    // Longer than the grace, which is two seconds.
    await vi.waitFor(() => expect(Date.now() - held).toBeGreaterThan(5000), 10_000)
    for (const id of ['gone', 'moves']) expect(await outcome(id), id).toBeUndefined()

    mortal.kill()
    const moved = pageOn(steady.url, 'moves')
    await vi.waitFor(async () => expect(await outcome('gone')).toMatchObject({ error: { code: 'no-client' } }), {
      timeout: 40_000,
      interval: 200,
    })
    expect(await outcome('moves')).toBeUndefined()
    const [hold] = (await desk.holds.list({ conversationId: 'moves' })).items
    expect(await desk.holds.answer('moves', hold?.callId ?? '', 'smiling')).toMatchObject({ verdict: 'accepted' })
    for (const page of [gone, moves, moved]) page.close()
  },
  120_000,
)

/** A page that is there, and takes its time. */
function pageOn(url: string, id: string): LiveConversation {
  const page = connect({ url, key: KEY }).conversation(id)
  page.tools({ photo: { run: () => new Promise(() => {}) } })
  return page
}
