/** The stream of changes in a tenant. */
import { expect, onTestFinished, test } from 'vitest'
import { decodeStream, SseDecoder, type StreamMessage } from '@holdpoint/protocol'
import { kit, type Kit, type Tenant } from './kit.ts'

async function listening(
  here: Kit,
  tenant: Tenant,
): Promise<{ next(): Promise<StreamMessage[]>; close(): Promise<void> }> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${here.key(tenant, 'resolver')}` }
  const response = await here.api.fetch(new Request('http://localhost/api/changes', { headers }))
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new SseDecoder()
  const text = new TextDecoder()
  return {
    next: async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) throw new Error('It ended.')
        const changes = decoder.push(text.decode(value)).flatMap((each) => decodeStream(each) ?? [])
        if (changes.length > 0) return changes
      }
    },
    close: () => reader.cancel(),
  }
}

async function start(): Promise<Kit> {
  const here = await kit()
  onTestFinished(() => here.close())
  return here
}

test('a tenant gets the changes of its own conversations only, each once per batch', async () => {
  const here = await start()
  const acme = await listening(here, 'acme')
  const umbrella = await listening(here, 'umbrella')
  await here.ask('POST', '/api/conversations/mine/messages?wait=5', { body: { content: 'hello' } })
  expect(await acme.next()).toEqual([{ kind: 'changed', conversationId: 'mine' }])
  await here.ask('POST', '/api/conversations/theirs/messages', { body: { content: 'hello' }, tenant: 'umbrella' })
  expect(await umbrella.next()).toEqual([{ kind: 'changed', conversationId: 'theirs' }])
  await acme.close()
  await umbrella.close()
})

test('a reader with too many pending changes gets one change without an id', async () => {
  const here = await start()
  const acme = await listening(here, 'acme')
  const runtime = here.runtime.tenant('acme')
  for (let nth = 0; nth < 300; nth++) await runtime.create({ id: `c${nth}`, agent: 'desk' })
  let heard = await acme.next()
  while (heard[0] && 'conversationId' in heard[0]) heard = await acme.next()
  expect(heard).toEqual([{ kind: 'changed' }])
  await acme.close()
})

test('a client can wait for the next change with a normal request', async () => {
  const here = await start()
  expect((await here.ask('GET', '/api/changes?wait=0')).body).toEqual({ items: [] })
  const waiting = here.ask('GET', '/api/changes?wait=20')
  await here.ask('POST', '/api/conversations/c1/messages', { body: { content: 'hello' } })
  expect((await waiting).body).toEqual({ items: [{ conversationId: 'c1' }] })
})

test('closing the gateway ends the stream cleanly', async () => {
  const here = await start()
  const acme = await listening(here, 'acme')
  await here.api.close()
  await expect(acme.next()).rejects.toThrow('It ended.')
})
