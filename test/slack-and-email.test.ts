/** Two people decide at the same moment, one in Slack and one by the link of a mail that went through a real SMTP server. */
import type { AddressInfo } from 'node:net'
import { emailChannel } from '@holdpoint/channel-email'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { desk } from '../packages/channel-slack/test/slack-desk.ts'

test('pressed in Slack and in a mail at the same moment: one is accepted, the other is told, and both read the end', async () => {
  const mails: ParsedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) =>
      simpleParser(stream, (error: Error | null, mail) => {
        if (!error) mails.push(mail)
        done(error)
      }),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const smtp = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const email = emailChannel({ server: smtp, from: 'Holdpoint <holds@acme.test>', insecure: true })
  const { hp, channels, messages, press, replies } = await desk({ also: [email] })
  await channels.people.put('', { person: 'bea', addresses: { email: 'bea@acme.test' }, resolver: true })
  await hp.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect([messages.length, mails.length]).toEqual([1, 1]))
  const text = mails[0]?.text ?? ''
  const link = /https:\/\/holds\.acme\.test\/links\/\S+/.exec(text)?.[0] ?? ''
  const code = /code (\w{6})/.exec(text)?.[1] ?? ''
  const page = await (await channels.answer(new Request(link)))!.text()
  const nonce = /name="nonce" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ nonce, code, decision: 'reject' })
  const [, posted] = await Promise.all([
    press('U-ada', 'approve'),
    channels.answer(new Request(link, { method: 'POST', body })),
  ])
  const byMail = posted?.status === 200
  const end = byMail ? 'rejected by bea' : 'approved by ada'
  if (byMail) await vi.waitFor(() => expect(replies).toHaveLength(1))
  else expect(await posted?.text()).toMatch(/approved by ada|over|used already/)
  await vi.waitFor(() => expect(messages[0]?.blocks).toContain(`It was ${end}.`))
  await vi.waitFor(() => expect(mails.at(-1)?.text).toContain(`It was ${end}`))
  expect(mails).toHaveLength(2)
  expect((await hp.pending()).items).toEqual([])
})
