/**
 * A process with a runtime and the Telegram channel, to be killed. Its arguments are the file of the store, the address of the
 * service, and by how much the clock of its channels is ahead, so that a claim of a process that died before is over. It tells
 * its port, and answers there what Telegram posts. With `SEND` it sends a message first. `CRASH_AT` is a crash point of its store.
 */
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Channels } from '@holdpoint/channels'
import { telegramChannel } from '@holdpoint/channel-telegram'
import { agent, holdpoint, nodePorts, tool, type Model } from 'holdpoint'
import { z } from 'zod'
import { crashPointStore } from './crash-point-store.ts'

const [place = '', apiRoot = '', aheadMs = '0'] = process.argv.slice(2)
process.stdin.resume().on('end', () => process.exit(1)) // the parent has ended

const clerk: Model = {
  id: 'clerk',
  async *stream({ prompt }) {
    const paid = prompt.some(({ role }) => role === 'assistant')
    yield paid
      ? { type: 'text', id: 't', delta: 'Done.' }
      : { type: 'call', id: 'pay-0', name: 'pay', input: '{"amount":5}' }
    yield { type: 'finish', reason: paid ? 'stop' : 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}
const pay = tool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ amount: z.number() }),
  approval: { required: true },
  onLost: 'fail',
  run: () => {
    appendFileSync(`${place}.paid`, 'paid\n')
    return 'paid'
  },
})

const store = await crashPointStore(place, { point: process.env['CRASH_AT'] })
// A short lease, because tests wait for its end.
const desk = agent({ name: 'desk', model: clerk, tools: [pay] })
const hp = await holdpoint({ store, agents: [desk], news: true, leaseMs: 400, lookMs: 40 })
const channels = Channels.open({
  runtime: hp,
  store,
  channels: [telegramChannel({ token: '42:token', secret: 'the secret of the webhook', apiRoot })],
  url: 'https://holds.acme.test',
  ports: { ...nodePorts, now: () => Date.now() + Number(aheadMs) },
  lookMs: 40,
  onProblem: () => {},
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const posted = new Request(`https://holds.acme.test${request.url}`, {
    method: 'POST',
    headers,
    body: await text(request),
  })
  response.writeHead((await channels.answer(posted))?.status ?? 404).end()
}
const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
if (process.env['SEND']) {
  await channels.people.put('', { person: 'ada', addresses: { telegram: '7' }, resolver: true })
  await channels.people.put('', { person: 'ben', addresses: { telegram: '8' }, resolver: true })
  await hp.submit('c', 'Pay', { by: 'bob' })
}
