/** Slack's own client against a server that answers as Slack does, and presses that are signed as Slack signs them. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Channels, type Channel, type HoldMessage } from '@holdpoint/channels'
import { slackChannel } from '@holdpoint/channel-slack'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Runtime } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

const TOKEN = 'xoxb-test'
const SIGNING_SECRET = 'the signing secret of the app'

interface Message {
  readonly channel: string
  readonly ts: string
  blocks: string
  text: string
  updates: number
}

interface Slack {
  readonly apiUrl: string
  readonly messages: Message[]
  /** What was shown to a presser alone. */
  readonly replies: string[]
  /** Answers to the next calls of `chat.postMessage`, instead of a message. */
  readonly failures: { status: number; error?: string }[]
}

async function slackServer(): Promise<Slack> {
  const messages: Message[] = []
  const replies: string[] = []
  const failures: Slack['failures'] = []
  const answer = (path: string, form: URLSearchParams): { status?: number; body: object } => {
    const failure = path === 'chat.postMessage' ? failures.shift() : undefined
    if (failure) return { status: failure.status, body: { ok: false, error: failure.error } }
    const blocks = form.get('blocks') ?? ''
    const shown = form.get('text') ?? ''
    switch (path) {
      case 'conversations.open':
        return { body: { ok: true, channel: { id: `D-${form.get('users')}` } } }
      case 'chat.postMessage': {
        const ts = `${messages.length + 1}.0`
        messages.push({ channel: form.get('channel') ?? '', ts, blocks, text: shown, updates: 0 })
        return { body: { ok: true, ts } }
      }
      case 'chat.update': {
        const message = messages.find(({ ts }) => ts === form.get('ts'))
        if (!message) return { body: { ok: false, error: 'message_not_found' } }
        Object.assign(message, { blocks, text: shown, updates: message.updates + 1 })
        return { body: { ok: true, ts: message.ts } }
      }
    }
    return { body: { ok: false, error: 'unknown_method' } }
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    if (request.url === '/respond') {
      replies.push((JSON.parse(body) as { text: string }).text)
      return void response.end('ok')
    }
    const allowed = request.headers.authorization === `Bearer ${TOKEN}`
    const { status = 200, body: said } = allowed
      ? answer((request.url ?? '').replace('/api/', ''), new URLSearchParams(body))
      : { body: { ok: false, error: 'invalid_auth' } }
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(said))
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`, messages, replies, failures }
}

interface Desk extends Slack {
  readonly hp: Runtime
  readonly channels: Channels
  readonly problems: unknown[]
  /** What another channel was asked to show. */
  readonly mails: HoldMessage[]
  press(user: string, button: 'approve' | 'reject', more?: Press): Promise<number>
}

interface Press {
  readonly message?: Message
  readonly secret?: string
  readonly at?: number
  readonly team?: string
}

async function desk(): Promise<Desk> {
  const slack = await slackServer()
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({}).loose(),
    approval: { required: true, reason: '<!channel> *money*' },
    run: () => 'paid',
  })
  const model = scriptedModel([{ calls: [{ name: 'pay', input: { to: '```<@U1>' } }] }, 'Done.'])
  const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [pay] })], news: true })
  const problems: unknown[] = []
  const channel = slackChannel({ token: TOKEN, signingSecret: SIGNING_SECRET, team: 'T1', apiUrl: slack.apiUrl })
  const mails: HoldMessage[] = []
  const mailbox: Channel = { name: 'mail', show: async ({ message }) => mails.push(message) }
  const channels = Channels.open({
    runtime: hp,
    store,
    channels: [channel, mailbox],
    url: 'https://holds.acme.test',
    links: { secret: 'a secret of at least thirty-two characters' },
    onProblem: (error) => problems.push(error),
  })
  onTestFinished(async () => {
    await channels.close()
    await hp.close()
  })
  await channels.people.put('', { person: 'ada', addresses: { slack: 'U-ada' }, resolver: true })
  const press: Desk['press'] = async (user, button, { message, secret = SIGNING_SECRET, at, team = 'T1' } = {}) => {
    const { blocks } = message ?? slack.messages[0]!
    const all = JSON.parse(blocks) as { elements?: { action_id?: string; value?: string }[] }[]
    const value = all.flatMap(({ elements = [] }) => elements).find(({ action_id: id }) => id === button)?.value
    const payload = {
      type: 'block_actions',
      user: { id: user },
      team: { id: team },
      response_url: slack.apiUrl.replace('/api/', '/respond'),
      actions: [{ action_id: button, value }],
    }
    const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`
    const timestamp = String(at ?? Math.floor(Date.now() / 1000))
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature }
    const request = new Request('https://holds.acme.test/channels/slack', { method: 'POST', headers, body })
    return (await channels.answer(request))?.status ?? 404
  }
  return { ...slack, hp, channels, problems, mails, press }
}

const isOpen = async (hp: Runtime): Promise<boolean> => (await hp.pending()).items.length > 0

test('a hold is a message with buttons; a press decides as the person, and the message says so without buttons', async () => {
  const { hp, messages, press } = await desk()
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  expect(messages[0]).toMatchObject({ channel: 'D-U-ada', text: 'desk asks to run pay' })
  // Text of models is never in a block that Slack reads as markup.
  expect(messages[0]?.blocks).not.toContain('mrkdwn')
  expect(messages[0]?.blocks).toContain('rich_text_preformatted')
  const copy = { ...messages[0]! }
  expect(await press('U-ada', 'approve')).toBe(200)
  expect(await isOpen(hp)).toBe(false)
  await vi.waitFor(() => expect(messages[0]?.blocks).toContain('It was approved by ada.'))
  expect(messages[0]?.blocks).not.toContain('"approve"')
  expect(messages).toHaveLength(1)
  // The person's screen still showed the buttons.
  expect(await press('U-ada', 'reject', { message: copy })).toBe(200)
})

test('a press that is forged, old, of another workspace or of an unmapped user decides nothing', async () => {
  const { hp, messages, press, replies } = await desk()
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  expect(await press('U-ada', 'approve', { secret: 'another secret' })).toBe(401)
  expect(await press('U-ada', 'approve', { at: Math.floor(Date.now() / 1000) - 600 })).toBe(401)
  expect(await press('U-ada', 'approve', { team: 'T2' })).toBe(401)
  expect(await isOpen(hp)).toBe(true)
  expect(await press('U-eve', 'approve')).toBe(200)
  await vi.waitFor(() => expect(replies).toEqual(['Nothing was decided. This account belongs to no person here.']))
  expect(await isOpen(hp)).toBe(true)
})

test('pressed in Slack and on a signed link at the same moment: one is accepted, and the other is told', async () => {
  const { hp, channels, messages, press, replies, mails } = await desk()
  await channels.people.put('', { person: 'bea', addresses: { mail: 'bea' }, resolver: true })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect([messages.length, mails.length]).toEqual([1, 1]))
  const { url = '', code = '' } = mails[0]?.link ?? {}
  const page = await (await channels.answer(new Request(url)))!.text()
  const nonce = /name="nonce" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ nonce, code, decision: 'reject' })
  const [pressed, posted] = await Promise.all([
    press('U-ada', 'approve'),
    channels.answer(new Request(url, { method: 'POST', body })),
  ])
  expect(pressed).toBe(200)
  const byLink = posted?.status === 200
  if (byLink) await vi.waitFor(() => expect(replies).toHaveLength(1))
  else expect([409, 410]).toContain(posted?.status)
  const end = byLink ? 'rejected by bea' : 'approved by ada'
  await vi.waitFor(() => expect(messages[0]?.blocks).toContain(`It was ${end}.`))
  await vi.waitFor(() => expect(mails.at(-1)?.end?.by).toBe(byLink ? 'bea' : 'ada'))
})

test('a limit of Slack delays a message, and a user who is gone gets none', async () => {
  const { hp, messages, failures, problems, channels } = await desk()
  failures.push({ status: 429 }, { status: 200, error: 'ratelimited' })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  expect(problems).toHaveLength(2)
  failures.push({ status: 200, error: 'user_not_found' })
  await channels.people.put('', { person: 'gone', addresses: { slack: 'U-gone' }, resolver: true })
  await hp.comment('c', (await hp.pending()).items[0]!.callId, 'Look.', { by: 'ada' })
  await vi.waitFor(() => expect(problems).toHaveLength(3))
  expect(problems[2]).toMatchObject({ name: 'ChannelRefused' })
  expect(messages).toHaveLength(1)
})
