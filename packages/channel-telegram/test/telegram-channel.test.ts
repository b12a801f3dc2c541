/** The library of a Telegram bot against a server that answers as Telegram does, and presses as Telegram posts them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { Channels, type HoldMessage } from '@holdpoint/channels'
import { telegramChannel } from '@holdpoint/channel-telegram'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Json, type Runtime } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

const SECRET = 'the secret token of the webhook'

interface Message {
  chat: { id: number }
  message_id: number
  text: string
  entities?: readonly { readonly offset: number; readonly length: number }[]
  reply_markup?: object
}

interface Telegram {
  readonly apiRoot: string
  readonly messages: Message[]
  readonly answers: { readonly text: string }[]
  /** Descriptions of errors, for the next messages. */
  readonly failures: { readonly code: number; readonly description: string }[]
}

async function telegramServer(): Promise<Telegram> {
  const messages: Message[] = []
  const answers: Telegram['answers'] = []
  const failures: Telegram['failures'] = []
  const result = (method: string, body: Record<string, unknown>): unknown => {
    switch (method) {
      case 'sendMessage': {
        const { chat_id: chat, ...rest } = body
        const message = { ...rest, chat: { id: Number(chat) }, message_id: messages.length + 1 } as Message
        messages.push(message)
        return message
      }
      case 'editMessageText':
        return Object.assign(messages[Number(body['message_id']) - 1]!, body)
      case 'answerCallbackQuery':
        answers.push(body as { text: string })
        return true
    }
    return undefined
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>
    const [, method = ''] = /^\/bot42:token\/(\w+)$/.exec(request.url ?? '') ?? []
    const failure = method === 'sendMessage' ? failures.shift() : undefined
    const said = failure
      ? { ok: false, error_code: failure.code, description: failure.description }
      : { ok: true, result: result(method, body) }
    response.writeHead(failure?.code ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return { apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, messages, answers, failures }
}

interface Desk extends Telegram {
  readonly hp: Runtime
  readonly channels: Channels
  readonly problems: unknown[]
  press(user: number, button: string, more?: { readonly message?: object; readonly secret?: string }): Promise<number>
}

async function desk(): Promise<Desk> {
  const telegram = await telegramServer()
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({}).loose(),
    approval: 'required',
    run: () => 'paid',
  })
  const model = scriptedModel([{ calls: [{ name: 'pay', input: { to: '*Eve* 😀' } }] }, 'Done.'])
  const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [pay] })], news: true })
  const problems: unknown[] = []
  const channels = Channels.open({
    runtime: hp,
    store,
    channels: [telegramChannel({ token: '42:token', secret: SECRET, apiRoot: telegram.apiRoot })],
    url: 'https://holds.acme.test',
    onProblem: (error) => problems.push(error),
  })
  onTestFinished(async () => {
    await channels.close()
    await hp.close()
  })
  await channels.people.put('', { person: 'ada', addresses: { telegram: '7' }, resolver: true })
  const press: Desk['press'] = async (user, button, { message = telegram.messages[0], secret = SECRET } = {}) => {
    const body = JSON.stringify({
      update_id: 1,
      callback_query: { id: 'q1', from: { id: user }, data: button, message },
    })
    const headers = { 'x-telegram-bot-api-secret-token': secret }
    const request = new Request('https://holds.acme.test/channels/telegram', { method: 'POST', headers, body })
    return (await channels.answer(request))?.status ?? 404
  }
  return { ...telegram, hp, channels, problems, press }
}

const isOpen = async (hp: Runtime): Promise<boolean> => (await hp.pending()).items.length > 0

test('a hold is a message with a keyboard; a press decides once as the person, and the message is edited', async () => {
  const { hp, messages, answers, press } = await desk()
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  const { text, entities = [], chat } = messages[0]!
  expect(chat.id).toBe(7)
  const [{ offset, length } = { offset: 0, length: 0 }] = entities
  expect(JSON.parse(text.slice(offset, offset + length))).toEqual({ to: '*Eve* 😀' })
  const copy = structuredClone(messages[0]!)
  expect(await press(7, 'approve')).toBe(200)
  expect(await isOpen(hp)).toBe(false)
  await vi.waitFor(() => expect(messages[0]?.text).toContain('It was approved by ada.'))
  expect(JSON.stringify(messages[0]?.reply_markup)).not.toContain('callback_data')
  // Telegram repeats an update, or the person's screen is old.
  await press(7, 'approve', { message: copy })
  await press(7, 'reject', { message: copy })
  expect(answers.map((answer) => answer.text)).toEqual([
    'Recorded.',
    expect.stringContaining('Nothing was decided. The same answer'),
    expect.stringContaining('Nothing was decided. A different answer'),
  ])
})

test('a press with a wrong secret, of an unmapped user or without its message decides nothing', async () => {
  const { hp, messages, answers, press } = await desk()
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  expect(await press(7, 'approve', { secret: 'wrong' })).toBe(401)
  expect(await press(8, 'approve')).toBe(200)
  expect(await press(7, 'approve', { message: { chat: { id: 7 }, message_id: 1, date: 0 } })).toBe(200)
  expect(await press(7, 'eat')).toBe(200)
  expect(answers.map((answer) => answer.text)).toEqual([
    'Nothing was decided. This account belongs to no person here.',
    'Nothing was decided. Open the console to decide.',
    'Nothing was decided. Open the console to decide.',
  ])
  expect(await isOpen(hp)).toBe(true)
})

test('a limit of Telegram delays a message, and a person who blocked the bot gets none', async () => {
  const { hp, messages, failures, problems, channels } = await desk()
  failures.push({ code: 429, description: 'Too Many Requests: retry after 1' })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  expect(problems).toHaveLength(1)
  failures.push({ code: 403, description: 'Forbidden: bot was blocked by the user' })
  await channels.people.put('', { person: 'gone', addresses: { telegram: '9' }, resolver: true })
  await hp.comment('c', (await hp.pending()).items[0]!.callId, 'Look.', { by: 'ada' })
  await vi.waitFor(() => expect(problems).toHaveLength(2))
  expect(problems[1]).toMatchObject({ name: 'ChannelRefused' })
})

test('a digest is one message without buttons that decide, and is edited', async () => {
  const { apiRoot, messages } = await telegramServer()
  const channel = telegramChannel({ token: '42:token', secret: SECRET, apiRoot })
  const show = (titles: readonly string[], ref?: Json): Promise<Json> => {
    const holds = titles.map((tool) => ({ ...HOLD, tool }))
    const digest = { tenant: '', person: 'ada', holds, more: 4, url: 'https://holds.acme.test/holds' }
    return channel.showDigest!({ digest, address: '7', ref, key: 'k', signal: new AbortController().signal })
  }
  const ref = await show(['pay', 'x'.repeat(9000)])
  expect(messages[0]?.text).toMatch(/^6 holds wait for you\n\n• desk asks to run pay \(c\)\n/)
  expect(messages[0]?.text.length).toBeLessThan(600)
  expect(JSON.stringify(messages[0]?.reply_markup)).not.toContain('callback_data')
  await show(['pay'], ref)
  expect(messages).toHaveLength(1)
  expect(messages[0]?.text).toContain('5 holds')
})

const HOLD: HoldMessage = {
  tenant: '',
  person: 'ada',
  conversationId: 'c',
  callId: '1',
  hold: 1,
  agent: 'desk',
  tool: 'pay',
  kind: 'approval',
  askedBy: [],
  input: { text: '{}', cut: 0 },
  expiresAt: 0,
  may: { approve: true, reject: true, answer: false },
  missing: 1,
  reminded: false,
  url: 'https://holds.acme.test/holds/c/1',
}
