/** Mails through a real SMTP server, read by a mail parser, and a decision from the link in one. */
import type { AddressInfo } from 'node:net'
import { Channels, type Channel, type HoldMessage } from '@holdpoint/channels'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Json, type Runtime } from 'holdpoint'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { emailChannel } from '@holdpoint/channel-email'

interface MailServer {
  readonly url: string
  readonly mails: ParsedMail[]
  /** Answers to the next mails; then they are taken. */
  readonly answers: (Error & { responseCode: number })[]
}

async function mailServer(): Promise<MailServer> {
  const mails: ParsedMail[] = []
  const answers: MailServer['answers'] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_address, _session, done) => done(answers.shift()),
    onData: (stream, _session, done) =>
      simpleParser(stream, (error: Error | null, mail) => {
        if (!error) mails.push(mail)
        done(error)
      }),
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, mails, answers }
}

function smtpError(responseCode: number, message: string): Error & { responseCode: number } {
  return Object.assign(new Error(message), { responseCode })
}

interface Desk {
  readonly hp: Runtime
  readonly channels: Channels
  readonly problems: unknown[]
}

async function desk(channel: Channel, input: object = { to: 'Eve' }): Promise<Desk> {
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    input: z.object({}).loose(),
    approval: { required: true, reason: 'It is\r\nBcc: eve@evil.test' },
    run: () => 'paid',
  })
  const model = scriptedModel([{ calls: [{ name: 'pay', input: input as never }] }, 'Done.'])
  const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [pay] })], news: true })
  const problems: unknown[] = []
  const channels = Channels.open({
    runtime: hp,
    store,
    channels: [channel],
    url: 'https://holds.acme.test',
    links: { secret: 'a secret of at least thirty-two characters' },
    onProblem: (error) => problems.push(error),
  })
  onTestFinished(async () => {
    await channels.close()
    await hp.close()
  })
  await channels.people.put('', { person: 'ada', addresses: { email: 'ada@acme.test' }, resolver: true })
  return { hp, channels, problems }
}

const from = 'Holdpoint <holds@acme.test>'

test('a hold arrives as one mail, is decided by the link and code in it, and its thread says by whom', async () => {
  const { url, mails } = await mailServer()
  const { hp, channels } = await desk(emailChannel({ server: url, from, insecure: true }))
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(mails).toHaveLength(1))
  const [mail] = mails
  expect(mail?.subject).toBe('desk asks to run pay')
  expect(mail?.to).toMatchObject({ text: 'ada@acme.test' })
  expect(mail?.from?.text).toBe('"Holdpoint" <holds@acme.test>')
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
  expect(mail?.headers.has('bcc')).toBe(false)
  for (const body of [mail?.text, String(mail?.html)]) {
    expect(body).toContain('Eve')
    expect(body).toContain('bob')
  }
  const link = /https:\/\/holds\.acme\.test\/links\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  const code = /code (\w{6})/.exec(mail?.text ?? '')?.[1] ?? ''
  const page = await (await channels.answer(new Request(link)))!.text()
  const nonce = /name="nonce" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ nonce, code, decision: 'reject', reason: 'Not today.' })
  expect((await channels.answer(new Request(link, { method: 'POST', body })))?.status).toBe(200)
  await vi.waitFor(() => expect(mails).toHaveLength(2))
  expect(mails[1]).toMatchObject({ inReplyTo: mail?.messageId, subject: 'Re: desk asks to run pay' })
  expect(mails[1]?.text).toContain('It was rejected by ada: Not today.')
  expect(mails[1]?.text).not.toContain('/links/')
})

test('a server that has no time gets the mail again; one that knows no such mailbox does not', async () => {
  const { url, mails, answers } = await mailServer()
  answers.push(smtpError(451, 'Try later'))
  const { hp, problems, channels } = await desk(emailChannel({ server: url, from, insecure: true }))
  await hp.send('c', 'Pay')
  await vi.waitFor(() => expect(mails).toHaveLength(1))
  expect(problems).toHaveLength(1)

  answers.push(smtpError(550, 'No such mailbox'))
  await channels.people.put('', { person: 'bob', addresses: { email: 'bob@acme.test' }, resolver: true })
  await hp.comment('c', (await hp.pending()).items[0]!.callId, 'Look.', { by: 'ada' })
  await vi.waitFor(() => expect(problems).toHaveLength(2))
  expect(problems[1]).toMatchObject({ name: 'ChannelRefused' })
})

test('long arguments are cut with a count and a link to the whole', async () => {
  const { url, mails } = await mailServer()
  const { hp } = await desk(emailChannel({ server: url, from, insecure: true }), { note: '<i>'.repeat(2000) })
  await hp.send('c', 'Pay')
  await vi.waitFor(() => expect(mails).toHaveLength(1))
  expect(mails[0]?.text).toMatch(/… \d{4} more characters\. The whole: https:\/\/holds\.acme\.test\/holds\/c\//)
  expect(String(mails[0]?.html)).not.toContain('<i>')
})

test('a server without TLS gets no mail, unless the operator says so', async () => {
  const { url, mails } = await mailServer()
  const { hp, problems } = await desk(emailChannel({ server: url, from }))
  await hp.send('c', 'Pay')
  await vi.waitFor(() => expect(problems.length).toBeGreaterThan(0))
  expect(mails).toEqual([])
  expect(() => emailChannel({ server: 'mail.acme.test', from })).toThrow('smtps://mail.acme.test')
})

test('a digest is one mail with every hold, then one mail for new holds, and one that says that all are over', async () => {
  const { url, mails } = await mailServer()
  const channel = emailChannel({ server: url, from: 'holds@acme.test', insecure: true })
  const hold = (callId: string, end?: HoldMessage['end']): HoldMessage => ({
    tenant: '',
    person: 'ada',
    conversationId: 'c',
    callId,
    hold: 1,
    agent: 'desk',
    tool: `<b>${callId}</b>`,
    kind: 'approval',
    askedBy: [],
    input: { text: '{}', cut: 0 },
    expiresAt: 0,
    may: { approve: true, reject: true, answer: false },
    missing: 1,
    reminded: false,
    url: 'https://holds.acme.test/holds/c/1',
    ...(end && { end }),
  })
  const over = { how: 'expired' } as const
  let ref: Json | undefined
  const show = async (...holds: readonly HoldMessage[]): Promise<void> => {
    const digest = { tenant: '', person: 'ada', holds, more: 0, url: 'https://holds.acme.test/holds' }
    const key = `${holds.length}${JSON.stringify(ref)}`
    ref = await channel.showDigest!({
      digest,
      address: 'ada@acme.test',
      ref,
      key,
      signal: new AbortController().signal,
    })
  }
  await show(hold('a'), hold('b'))
  expect(mails[0]).toMatchObject({ subject: '2 holds wait for you' })
  for (const name of ['a', 'b']) expect(mails[0]?.html).toContain(`&lt;b&gt;${name}&lt;/b&gt;`)
  await show(hold('a', over), hold('b'))
  expect(mails).toHaveLength(1)
  await show(hold('a', over), hold('b'), hold('new'))
  await show(hold('a', over), hold('b', over), hold('new', over))
  expect(mails.map(({ subject }) => subject).slice(1)).toEqual([
    '2 holds wait for you',
    'Nothing waits for you any more',
  ])
  expect(mails[2]?.inReplyTo).toBe(mails[0]?.messageId)
})
