/** A server that answers as Slack does, and presses and forms that are signed as Slack signs them. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Channels, type Channel, type HoldMessage } from '@holdpoint/channels'
import { slackChannel } from '@holdpoint/channel-slack'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Model, type Runtime, type Tool } from 'holdpoint'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const TOKEN = 'xoxb-test'
const SIGNING_SECRET = 'the signing secret of the app'

export interface Message {
  readonly channel: string
  readonly ts: string
  blocks: string
  text: string
  updates: number
  readonly thread: string[]
}

/** A form that was opened. */
export interface View {
  readonly private_metadata: string
  readonly title: { readonly text: string }
  readonly blocks: readonly {
    readonly block_id?: string
    readonly label?: { readonly text: string }
    readonly optional?: boolean
    readonly element?: {
      readonly type: string
      readonly initial_value?: string
      readonly options?: readonly { readonly value: string }[]
    }
  }[]
}

interface Slack {
  readonly apiUrl: string
  readonly messages: Message[]
  readonly views: View[]
  /** What was shown to a presser alone. */
  readonly replies: string[]
  /** Answers to the next calls of `chat.postMessage`, instead of a message. */
  readonly failures: { status: number; error?: string }[]
  /** Triggers that may still open a form. */
  readonly triggers: Set<string>
  /** The scopes of the token besides those that every test needs. */
  readonly scopes: Set<string>
}

async function slackServer(): Promise<Slack> {
  const messages: Message[] = []
  const replies: string[] = []
  const views: View[] = []
  const failures: Slack['failures'] = []
  const triggers = new Set<string>()
  const scopes = new Set(['im:history'])
  const answer = (path: string, form: URLSearchParams): { status?: number; body: object } => {
    const failure = path === 'chat.postMessage' ? failures.shift() : undefined
    if (failure) return { status: failure.status, body: { ok: false, error: failure.error } }
    const blocks = form.get('blocks') ?? ''
    const shown = form.get('text') ?? ''
    switch (path) {
      case 'conversations.open':
        return { body: { ok: true, channel: { id: `D-${form.get('users')}` } } }
      case 'chat.postMessage': {
        const of = messages.find((message) => message.ts === form.get('thread_ts'))
        if (of) return { body: { ok: true, ts: `${of.ts}.${of.thread.push(blocks)}` } }
        const ts = `${messages.length + 1}.0`
        messages.push({ channel: form.get('channel') ?? '', ts, blocks, text: shown, updates: 0, thread: [] })
        return { body: { ok: true, ts } }
      }
      case 'conversations.replies': {
        if (!scopes.has('im:history')) return { body: { ok: false, error: 'missing_scope' } }
        const { text: title = '', thread = [] } = messages.find((message) => message.ts === form.get('ts')) ?? {}
        const replied = thread.map(() => ({ text: 'The hold is over.', bot_id: 'B1' }))
        return { body: { ok: true, messages: [{ text: title, bot_id: 'B1' }, ...replied] } }
      }
      case 'views.open':
        // A trigger is good for one form.
        if (!triggers.delete(form.get('trigger_id') ?? '')) return { body: { ok: false, error: 'expired_trigger_id' } }
        views.push(JSON.parse(form.get('view') ?? '') as View)
        return { body: { ok: true } }
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
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    messages,
    views,
    replies,
    failures,
    triggers,
    scopes,
  }
}

export interface Desk extends Slack {
  readonly hp: Runtime
  readonly channel: Channel
  readonly channels: Channels
  readonly problems: unknown[]
  /** What another channel was asked to show. */
  readonly mails: HoldMessage[]
  press(user: string, button: string, more?: Press): Promise<number>
  /** Sends the newest form, with texts by the labels of its fields. */
  submit(user: string, texts: Readonly<Record<string, string>>, more?: Signed & { view?: View }): Promise<Submitted>
}

export interface Submitted {
  readonly status: number
  readonly said:
    | { readonly response_action: string; readonly errors?: Readonly<Record<string, string>>; readonly view?: object }
    | undefined
}

interface Signed {
  readonly secret?: string
  readonly at?: number
  readonly team?: string
}

interface Press extends Signed {
  readonly message?: Message
  readonly trigger?: string
}

const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({}).loose(),
  approval: { required: true, reason: '<!channel> *money*' },
  run: () => 'paid',
})

const payModel = (): Model => scriptedModel([{ calls: [{ name: 'pay', input: { to: '```<@U1>' } }] }, 'Done.'])

export async function desk({
  tools = [pay],
  model = payModel(),
  also = [],
}: { tools?: readonly Tool[]; model?: Model; also?: readonly Channel[] } = {}): Promise<Desk> {
  const slack = await slackServer()
  const store = memoryStore()
  const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools })], news: true })
  const problems: unknown[] = []
  const channel = slackChannel({ token: TOKEN, signingSecret: SIGNING_SECRET, team: 'T1', apiUrl: slack.apiUrl })
  const mails: HoldMessage[] = []
  const mailbox: Channel = { name: 'mail', show: async ({ message }) => mails.push(message) }
  const channels = Channels.open({
    runtime: hp,
    store,
    channels: [channel, mailbox, ...also],
    url: 'https://holds.acme.test',
    links: { secret: 'a secret of at least thirty-two characters' },
    onProblem: (error) => problems.push(error),
  })
  onTestFinished(async () => {
    await channels.close()
    await hp.close()
  })
  await channels.people.put('', { person: 'ada', addresses: { slack: 'U-ada' }, resolver: true })
  const send = async (
    payload: object,
    { secret = SIGNING_SECRET, at, team = 'T1' }: Signed = {},
  ): Promise<Response> => {
    const body = `payload=${encodeURIComponent(JSON.stringify({ team: { id: team }, ...payload }))}`
    const timestamp = String(at ?? Math.floor(Date.now() / 1000))
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature }
    const request = new Request('https://holds.acme.test/channels/slack', { method: 'POST', headers, body })
    return (await channels.answer(request)) ?? new Response(null, { status: 404 })
  }
  let pressed = 0
  const press: Desk['press'] = async (user, button, { message, trigger = `t${pressed++}`, ...signed } = {}) => {
    const { blocks } = message ?? slack.messages[0]!
    const all = JSON.parse(blocks) as { elements?: { action_id?: string; value?: string }[] }[]
    const value = all.flatMap(({ elements = [] }) => elements).find(({ action_id: id }) => id === button)?.value
    slack.triggers.add(trigger)
    const payload = {
      type: 'block_actions',
      user: { id: user },
      trigger_id: trigger,
      response_url: slack.apiUrl.replace('/api/', '/respond'),
      actions: [{ action_id: button, value }],
    }
    return (await send(payload, signed)).status
  }
  const submit: Desk['submit'] = async (user, texts, { view = slack.views.at(-1)!, ...signed } = {}) => {
    const values = Object.entries(texts).map(([label, text]) => {
      const block = view.blocks.find((each) => each.label?.text === label)
      if (!block) throw new Error(`There is no field "${label}".`)
      const given = block.element?.options ? { selected_option: { value: text } } : { value: text }
      return [block.block_id, { v: given }]
    })
    const { private_metadata: names } = view
    const state = { values: Object.fromEntries(values) as object }
    const answer = await send(
      { type: 'view_submission', user: { id: user }, view: { private_metadata: names, state } },
      signed,
    )
    const body = await answer.text()
    return { status: answer.status, said: body === '' ? undefined : (JSON.parse(body) as Submitted['said']) }
  }
  return { ...slack, hp, channel, channels, problems, mails, press, submit }
}
