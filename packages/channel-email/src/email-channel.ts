/**
 * E-mail. A mail cannot be changed after it was sent, so the end of a hold, and a reminder, are mails in the same thread. A
 * mail takes no answer: its sender is never trusted, and a person decides on the page of the signed link or in the console.
 */
import { createHash } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { HoldpointError, type Json } from 'holdpoint'
import {
  ChannelRefused,
  digestTitle,
  titleOf,
  type Channel,
  type DigestMessage,
  type Showing,
} from '@holdpoint/channels'
import { digestMailText, mailText } from './mail-text.ts'

export interface EmailOptions {
  /** The SMTP server: a URL such as `smtps://user:password@mail.acme.test`. */
  readonly server: string
  /** The sender: `Holdpoint <holds@acme.test>`. */
  readonly from: string
  /** Accept a server without TLS, or with a certificate that is not trusted. For a server on the same machine. */
  readonly insecure?: true
  /** The name of the channel. Default: `email`. */
  readonly name?: string
}

/** The first mail of the thread, and which later ones were sent. */
interface Ref {
  readonly messageId: string
  readonly reminded?: true
  /** Of a digest: how many holds the mails had. */
  readonly holds?: number
}

export function emailChannel({ server, from, insecure, name = 'email' }: EmailOptions): Channel {
  const transport = createTransport(serverOptions(server, insecure))
  const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
  const domain = /@([^>@\s]+)>?\s*$/.exec(from)?.[1] ?? 'holdpoint.invalid'
  // The same mail again has the same id, so that mail programs show it once.
  const idOf = (key: string): string => `<${createHash('sha256').update(key).digest('hex').slice(0, 40)}@${domain}>`
  return {
    name,
    show: async ({ message, address, ref, key }): Promise<Json> => {
      const first = ref as unknown as Ref | undefined
      if (first && !isWorthAMail(message, first)) return { ...first }
      const messageId = idOf(key)
      const { end: _end, ...open } = message
      const subject = first ? `Re: ${titleOf(open)}` : titleOf(message)
      const mail = { from, to: { name: '', address }, subject, messageId, ...threadOf(first), ...mailText(message) }
      await transport.sendMail({ ...mail, headers }).catch(refuseForGood)
      return { messageId: first?.messageId ?? messageId, ...(message.reminded && { reminded: true }) }
    },
    showDigest: async ({ digest, address, ref, key }): Promise<Json> => {
      const first = ref as unknown as Ref | undefined
      const { holds = 0 } = first ?? {}
      const all = digest.holds.length + digest.more
      // A mail for each decision would be what the person does not want: one says that all of them are over.
      if (first && all <= holds && !isOver(digest)) return { ...first }
      const messageId = idOf(key)
      const subject = digestTitle(digest)
      const mail = {
        from,
        to: { name: '', address },
        subject,
        messageId,
        ...threadOf(first),
        ...digestMailText(digest),
      }
      await transport.sendMail({ ...mail, headers }).catch(refuseForGood)
      return { messageId: first?.messageId ?? messageId, holds: all }
    },
  }
}

function serverOptions(server: string, insecure: true | undefined): SMTPTransport.Options {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:')
    throw new HoldpointError(
      'config-invalid',
      'The "server" of e-mail must be an address such as "smtps://mail.acme.test".',
    )
  const user = decodeURIComponent(url.username)
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    secure: url.protocol === 'smtps:',
    ...(url.port !== '' && { port: Number(url.port) }),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
    ...(insecure ? { tls: { rejectUnauthorized: false } } : { requireTLS: true }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  }
}

function threadOf(first: Ref | undefined): { readonly inReplyTo?: string; readonly references?: string[] } {
  return first ? { inReplyTo: first.messageId, references: [first.messageId] } : {}
}

function isOver({ holds, more }: DigestMessage): boolean {
  return more === 0 && holds.every(({ end }) => end !== undefined)
}

/** Another approval or a comment is no reason for a mail. */
function isWorthAMail({ end, reminded }: Showing['message'], first: Ref): boolean {
  return end !== undefined || (reminded && !first.reminded)
}

/** A server that answers 5xx refuses the mail for good, for example because there is no such mailbox. */
function refuseForGood(error: unknown): never {
  const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
  const command = error instanceof Error && 'command' in error ? error.command : undefined
  // A wrong password is the operator's to correct: the mails wait for that.
  if (code >= 500 && code < 600 && command !== 'AUTH' && !String(command).startsWith('AUTH'))
    throw new ChannelRefused((error as Error).message, { cause: error })
  throw error
}
