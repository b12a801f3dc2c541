import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { emailChannel } from '@holdpoint/channel-email'
import { Channels } from '@holdpoint/channels'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

// A mail server and a receiver of webhooks, on this machine.
const mails: ParsedMail[] = []
const mailServer = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  authOptional: true,
  onData: (stream, _session, done) =>
    simpleParser(stream, (error: Error | null, mail) => {
      if (!error) mails.push(mail)
      done(error)
    }),
})
mailServer.listen(0, '127.0.0.1')
await once(mailServer.server, 'listening')
const smtp = `smtp://127.0.0.1:${(mailServer.server.address() as AddressInfo).port}`

const received: { body: string; headers: Record<string, string> }[] = []
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ body, headers: request.headers as Record<string, string> })
    response.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const refund = tool({
  name: 'refund',
  description: 'Pay money back',
  input: z.object({ euros: z.number() }),
  approval: ({ input }) => ({ required: input.euros > 50, reason: `${input.euros} euros is more than 50` }),
  run: ({ input }) => `${input.euros} euros were paid`,
})
const model = scriptedModel([{ calls: [{ name: 'refund', input: { euros: 80 } }] }, 'It is paid.'])

// #region open
const store = memoryStore()
const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [refund] })], news: true })

const heard: string[] = []
const channels = Channels.open({
  runtime: hp,
  store,
  url: 'https://holds.acme.test', // where people reach your gateway
  channels: [emailChannel({ server: smtp, from: 'Holdpoint <holds@acme.test>', insecure: true })],
  links: {
    secret: 'the same 32 or more random characters in each process',
    needsSignIn: ({ input }) => (input as { euros: number }).euros > 1000,
  },
  handlers: { audit: ({ type }) => void heard.push(type) }, // called again until it does not throw
  privateHosts: true, // only because the receiver of this example is on this machine
})
await channels.people.put('', { person: 'ann', addresses: { email: 'ann@acme.test' }, resolver: true })
const { secret } = await channels.webhooks.create('', { url: receiverUrl, events: ['hold.opened', 'hold.closed'] })
// #endregion

await hp.send('c1', 'Refund 80 euros', { by: 'bob' })
await until(() => mails.length === 1)
assert.match(mails[0]?.text ?? '', /"euros": 80/)

// Ann opens the link of the mail, and types the code that stands beside it.
const link = /https:\S+links\S+/.exec(mails[0]?.text ?? '')?.[0] ?? ''
const code = /code (\w+)/.exec(mails[0]?.text ?? '')?.[1] ?? ''
const page = await (await channels.answer(new Request(link)))!.text()
const nonce = /name="nonce" value="([^"]+)"/.exec(page)?.[1] ?? ''
assert.equal((await hp.pending()).items.length, 1, 'to open the page decides nothing')
const form = new URLSearchParams({ nonce, code, decision: 'approve' })
assert.equal((await channels.answer(new Request(link, { method: 'POST', body: form })))?.status, 200)

await until(() => mails.length === 2 && received.length === 2 && heard.length === 3)
assert.match(mails[1]?.text ?? '', /It was approved by ann/)
console.log(mails[0]?.subject)
console.log(mails[1]?.subject)

// #region verify
const verified = received.map(({ body, headers }) => new Webhook(secret).verify(body, headers))
// #endregion
for (const event of verified.toSorted((a, b) => JSON.stringify(b).localeCompare(JSON.stringify(a)))) {
  const { type, data } = event as { type: string; data: { tool: string; end?: { how: string; by: string } } }
  console.log(type, data.tool, data.end ? `${data.end.how} by ${data.end.by}` : '')
}

await channels.close()
await hp.close()
receiver.close()
mailServer.close()

async function until(condition: () => boolean): Promise<void> {
  const patience = Date.now() + 60_000
  while (!condition()) {
    assert.ok(Date.now() < patience, `This never came true: ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
