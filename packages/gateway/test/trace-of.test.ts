/** The trace of a request goes on in the turn that it begins, at each path that takes messages. */
import { onTestFinished, expect, test } from 'vitest'
import { chatKit } from './chat-kit.ts'

const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const run = { runId: 'r', state: {}, tools: [], context: [], forwardedProps: {} }

test('a message keeps the `traceparent` of its request, and ignores what is none', async () => {
  const here = await chatKit(Array.from({ length: 20 }, () => 'Hello.'))
  onTestFinished(() => here.close())
  const paths: Readonly<Record<string, (id: string) => object>> = {
    '/api/conversations/plain/messages': () => ({ content: 'Hi' }),
    '/api/chat': (id) => ({ id, messages: [message], trigger: 'submit-message' }),
    '/api/ag-ui': (id) => ({ ...run, threadId: id, messages: [{ id: 'm', role: 'user', content: 'Hi' }] }),
    '/api/openai/responses': (id) => ({ model: 'desk', input: 'Hi', conversation: id }),
  }
  const good = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  for (const [path, body] of Object.entries(paths))
    for (const [nth, traceparent] of [good, `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, 'x', ''].entries()) {
      const id = `${path.replaceAll('/', '-')}-${nth}`
      const at = here.url + path.replace('plain', id)
      const headers = { 'content-type': 'application/json', 'x-user': 'ada', origin: here.url, traceparent }
      const answer = await fetch(at, { method: 'POST', headers, body: JSON.stringify(body(id)) })
      expect([path, answer.ok, (await answer.text()).length > 0]).toEqual([path, true, true])
      const [first] = await here.runtime.events(id)
      const [item] = first?.type === 'turn.started' ? first.items : []
      const trace = item?.kind === 'message' ? item.message.trace : 'no message'
      expect([path, traceparent, trace]).toEqual([path, traceparent, nth === 0 ? good : undefined])
    }
})
