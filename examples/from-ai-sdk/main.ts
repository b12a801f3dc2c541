/** The same page against both routes. Before, only its copy of the history has the call; after, a reload and a restart do too. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { sent } from './tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'from-ai-sdk-'))
process.env['STORE'] = join(folder, 'assistant.db')
const before = await import('./before.ts')
const after = await import('./after.ts')

type Handle = (request: Request) => Promise<Response>
const asked: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Write to Bo' }] }

/** What a page does: posts its messages, and reads the message that is streamed back. */
async function post(handle: Handle, messages: UIMessage[]): Promise<UIMessage> {
  const transport = new DefaultChatTransport<UIMessage>({
    api: 'http://localhost/api/chat',
    headers: { 'x-user': 'ada' },
    fetch: (input, init) => handle(new Request(input, init)),
  })
  const last = messages.at(-1)
  const messageId = last?.role === 'assistant' ? last.id : undefined
  const stream = await transport.sendMessages({
    chatId: 'c1',
    messages,
    trigger: 'submit-message',
    messageId,
    abortSignal: undefined,
  })
  let message: UIMessage | undefined
  const known = last?.role === 'assistant' ? { message: last } : {}
  for await (const next of readUIMessageStream({ stream, ...known })) message = next
  assert(message)
  return message
}

const stateOf = ({ parts }: UIMessage): string | undefined =>
  parts.flatMap((part) => ('toolCallId' in part ? [part.state] : [])).at(-1)

for (const [name, handle] of [
  ['before', before.POST],
  ['after', after.POST],
] as const) {
  const answer = await post(handle, [asked])
  console.log(name, stateOf(answer))
  assert.equal(stateOf(answer), 'approval-requested')
}
assert.deepEqual(sent, [])

// A page that was reloaded, in another process: it has nothing, and asks the server.
const get = (path: string): Promise<Response> =>
  after.GET(new Request(`http://localhost${path}`, { headers: { 'x-user': 'ada' } }))
const { messages } = (await (await get('/api/chat/c1')).json()) as { messages: UIMessage[] }
const approved = messages.map((message) => ({
  ...message,
  parts: message.parts.map((part) =>
    'toolCallId' in part && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { id: part.approval.id, approved: true } }
      : part,
  ),
})) as UIMessage[]
const done = await post(after.POST, approved)
console.log('after', stateOf(done), sent.length, 'sent')
assert.equal(stateOf(done), 'output-available')
// Posted once more, as after a lost connection: the tool does not run again.
await post(after.POST, approved)
assert.deepEqual(sent, ['bo@acme.test'])
assert.equal((await get('/api/chat/c1')).status, 200)

await after.runtime.close()
rmSync(folder, { recursive: true })
