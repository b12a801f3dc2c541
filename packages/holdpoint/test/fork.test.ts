/** Forks of a conversation with an HTTP tool, whose server counts the requests. */
import { agent, holdpoint, memoryStore, tool, type Runtime } from 'holdpoint'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { json, local, serve, type TestServer } from './http-tool-kit.ts'

const SAYS: readonly Script[] = [
  { calls: [{ name: 'notes', input: { id: 1 } }] },
  {
    calls: [
      { name: 'notes', input: { id: 2 } },
      { name: 'pay', input: { euros: 5 } },
    ],
  },
]

async function desk(): Promise<{ runtime: Runtime; server: TestServer; paid: string[]; asked: () => number }> {
  const server = await serve(json({ note: 'Hello' }))
  const paid: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({ euros: z.number() }),
    approval: 'required',
    run: ({ call }) => (paid.push(call.id), 'Paid.'),
  })
  const model = scriptedModel(
    Array.from({ length: 50 }, () => ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) => {
      const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
      return SAYS[since.filter(({ role }) => role === 'assistant').length] ?? 'Done.'
    }),
  )
  const agents = [agent({ name: 'desk', model, tools: [local(server.port, { name: 'notes' }, '/{id}'), pay] })]
  const runtime = await holdpoint({ store: memoryStore({ now: Date.now }), agents })
  onTestFinished(() => runtime.close())
  return { runtime, server, paid, asked: () => model.requests.length }
}

test('a fork at any event sends no request, calls no model and runs no tool', async () => {
  const { runtime, server, paid, asked } = await desk()
  const { holds } = await runtime.send('c', 'Go', { by: 'ada' })
  await runtime.approve('c', holds[0]!.callId, { by: 'ben' })
  await runtime.continue('c')
  const events = await runtime.events('c')
  const before = [server.seen.length, paid.length, asked()]
  expect(before).toEqual([2, 1, 3])
  for (const { seq } of events)
    for (const held of ['held', 'settled'] as const) {
      const fork = await runtime.fork('c', { at: seq, held })
      expect(fork.ok && (await runtime.events(fork.id)).slice(0, seq).map(({ type, at }) => [type, at])).toEqual(
        events.slice(0, seq).map(({ type, at }) => [type, at]),
      )
      // The runtime looks at it, and finds nothing to do.
      if (fork.ok) expect((await runtime.view(fork.id))?.status).not.toBe('running')
    }
  expect([server.seen.length, paid.length, asked()]).toEqual(before)
})

test('a held call waits in the fork as a call of its own, and its approval leaves the original as it is', async () => {
  const { runtime, paid } = await desk()
  const { holds } = await runtime.send('c', 'Go', { by: 'ada' })
  const original = holds[0]!.callId
  const fork = await runtime.fork('c', { held: 'held', to: 'copy', by: 'cleo' })
  expect(fork).toMatchObject({ ok: true, id: 'copy' })
  const [held] = (await runtime.pending({ conversationId: 'copy' })).items
  expect(held?.callId).not.toBe(original)
  expect(await runtime.approve('copy', held!.callId, { by: 'ben' })).toMatchObject({ verdict: 'accepted' })
  expect(await runtime.continue('copy', { by: 'cleo' })).toMatchObject({ status: 'done' })
  expect(paid).toEqual([held!.callId])
  expect((await runtime.pending()).items.map(({ callId }) => callId)).toEqual([original])
  expect(await runtime.participants('copy')).toEqual({ owner: 'cleo', participants: [] })
  expect(await runtime.participants('c')).toEqual({ owner: 'ada', participants: [] })
})

test('a fork whose call was settled goes on with `continue`', async () => {
  const { runtime, paid } = await desk()
  await runtime.send('c', 'Go')
  const fork = await runtime.fork('c')
  if (!fork.ok) throw new Error(fork.message)
  expect((await runtime.pending({ conversationId: fork.id })).items).toEqual([])
  expect(await runtime.continue(fork.id)).toMatchObject({ status: 'done', text: 'Done.' })
  expect(paid).toEqual([])
})

test('a fork is refused where there is nothing to fork, or its id is taken', async () => {
  const { runtime } = await desk()
  await runtime.send('c', 'Go', { by: 'ada' })
  const stranger = { id: 'zoe', kind: 'person', access: 'own' } as const
  expect(await runtime.fork('none')).toMatchObject({ ok: false, refusal: 'not-found' })
  expect(await runtime.fork('c', { at: 1000 })).toMatchObject({ ok: false, refusal: 'bad-request' })
  expect(await runtime.fork('c', { at: 0 })).toMatchObject({ ok: false, refusal: 'bad-request' })
  expect(await runtime.fork('c', { to: 'c' })).toMatchObject({ ok: false, refusal: 'id-taken' })
  expect(await runtime.fork('c', { to: 'agent:desk' })).toMatchObject({ ok: false, refusal: 'bad-request' })
  expect(await runtime.fork('c', { by: stranger })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  await runtime.spaces.create({ id: 'room', name: 'Room', by: { kind: 'human', id: 'ada' } })
  expect(await runtime.fork('room')).toMatchObject({ ok: false, refusal: 'is-a-space' })
  await runtime.erase('c', { cancel: true })
  expect(await runtime.fork('c')).toMatchObject({ ok: false, refusal: 'erased' })
})
