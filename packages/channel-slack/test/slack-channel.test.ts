/** Slack's own client against a server that answers as Slack does, and presses that are signed as Slack signs them. */
import type { Runtime } from 'holdpoint'
import type { HoldMessage } from '@holdpoint/channels'
import { expect, test, vi } from 'vitest'
import { desk } from './slack-desk.ts'

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
  await vi.waitFor(() => expect(messages[0]?.thread.join()).toContain('It was approved by ada.'))
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

test('a process that died after it posted the verdict: the next one does not post it again, if it may read the thread', async () => {
  const { hp, channel, mails, messages, scopes } = await desk()
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  await hp.reject('c', (await hp.pending()).items[0]!.callId, 'No.', { by: 'grace' })
  await vi.waitFor(() => expect(messages[0]?.thread).toHaveLength(1))
  const { channel: room = '', ts = '' } = messages[0] ?? {}
  const message: HoldMessage = { ...OVER, person: 'ada' }
  const again = { message, address: 'U-ada', ref: { channel: room, ts }, key: 'k', signal: AbortSignal.timeout(10_000) }
  await channel.show(again)
  expect(messages[0]?.thread).toHaveLength(1)
  scopes.clear()
  await channel.show(again)
  expect(messages[0]?.thread).toHaveLength(2)
  expect(mails).toEqual([])
})

const OVER: Omit<HoldMessage, 'person'> = {
  tenant: '',
  conversationId: 'c',
  callId: 'call',
  hold: 1,
  agent: 'desk',
  tool: 'pay',
  kind: 'approval',
  askedBy: [],
  input: { text: '{}', cut: 0 },
  expiresAt: 0,
  may: { approve: false, reject: false, answer: false },
  missing: 0,
  reminded: false,
  end: { how: 'rejected', by: 'grace', at: 0 },
  url: 'https://holds.acme.test',
}

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
