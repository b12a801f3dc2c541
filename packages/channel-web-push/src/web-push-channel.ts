/**
 * Web Push: a notification of the browser per hold, which is replaced when the hold changes. A browser registers itself for its
 * person, and gets messages that only it can read. A notification has no arguments and takes no decision: a press opens the hold in
 * the console, where the person signs in.
 */
import { createHash } from 'node:crypto'
import webPush from 'web-push'
import { guardedFetch, HoldpointError, type Json, type Store } from 'holdpoint'
import { messageOf } from '@holdpoint/core'
import { ChannelRefused, digestTitle, titleOf, type Channel, type HoldMessage } from '@holdpoint/channels'
import { PushBrowsers, type PushBrowser } from './push-browsers.ts'

export interface WebPushOptions {
  /** The store of the gateway: it keeps which browsers a person has. */
  readonly store: Store
  /** The operator, for the push services: `mailto:ops@acme.test`. */
  readonly contact: string
  /** The VAPID keys, as `npx web-push generate-vapid-keys` makes them. Browsers are bound to the public key. */
  readonly publicKey: string
  readonly privateKey: string
  /** Hosts in the operator's network that may be a push service, also without TLS: browsers name the address. */
  readonly privateHosts?: readonly string[] | true
  /** The name of the channel. Default: `web-push`. */
  readonly name?: string
  readonly now?: () => number
}

/** What the service worker of the console gets. */
interface Payload {
  readonly title: string
  readonly body: string
  /** A path of the console. */
  readonly url: string
  /** Notifications with the same tag replace each other. */
  readonly tag: string
  /** The hold is over: the notification says so without a sound. */
  readonly over: boolean
}

interface Ref {
  readonly tag: string
}

const LONGEST_S = 28 * 86_400
const OVER_S = 86_400

export function webPushChannel({
  store,
  contact,
  publicKey,
  privateKey,
  privateHosts,
  name = 'web-push',
  now = Date.now,
}: WebPushOptions): Channel {
  const vapidDetails = { subject: contact, publicKey, privateKey }
  checkKeys(vapidDetails)
  const browsers = new PushBrowsers(store, name, {
    publicKey,
    now,
    protocols: privateHosts === undefined ? ['https:'] : ['https:', 'http:'],
  })
  const fetch = guardedFetch({ maxBytes: 10_000, ...(privateHosts !== undefined && { privateHosts }) })
  const send = async (to: PushBrowser, payload: Payload, how: Sending): Promise<'gone' | 'sent'> => {
    const keys = { p256dh: to.p256dh, auth: to.auth }
    const topic = payload.tag
    const TTL = how.seconds
    const urgency = payload.over ? 'low' : 'high'
    const options = { vapidDetails, TTL, topic, urgency, contentEncoding: 'aes128gcm' } as const
    const details = webPush.generateRequestDetails(
      { endpoint: to.endpoint, keys },
      JSON.stringify(payload),
      options,
    ) as Details
    const headers = Object.fromEntries(Object.entries(details.headers).map(([key, value]) => [key, String(value)]))
    delete headers['Content-Length']
    const { method, endpoint } = details
    const body = Uint8Array.from(details.body)
    const answer = await fetch(endpoint, { method, headers, body, redirect: 'manual', signal: how.signal })
    await answer.body?.cancel()
    if (answer.status === 404 || answer.status === 410) return 'gone'
    if (answer.ok) return 'sent'
    const failure = `The push service of a browser answered with status ${answer.status}.`
    if (answer.status === 429 || answer.status >= 500) throw new Error(failure)
    throw new ChannelRefused(failure)
  }
  /** To every browser of the person. One that fails does not keep the others from it. */
  const sendAll = async (tenant: string, person: string, payload: Payload, how: Sending): Promise<Json> => {
    const failures: unknown[] = []
    for (const browser of await browsers.all(tenant, person))
      try {
        if ((await send(browser, payload, how)) === 'gone') await browsers.remove(tenant, person, browser.id)
      } catch (error) {
        failures.push(error)
      }
    // A message that comes twice replaces itself.
    const again = failures.find((failure) => !(failure instanceof ChannelRefused))
    if (again !== undefined || failures.length > 0) throw again ?? failures[0]
    return { tag: payload.tag }
  }
  return {
    name,
    devices: browsers,
    show: ({ message, ref, key, signal }) => {
      const { tenant, person, end, expiresAt } = message
      const seconds = end ? OVER_S : Math.min(LONGEST_S, Math.max(0, Math.ceil((expiresAt - now()) / 1000)))
      const payload = { ...wordsOf(message), url: pathOf(message.url), tag: tagOf(ref, key), over: end !== undefined }
      return sendAll(tenant, person, payload, { seconds, signal })
    },
    showDigest: ({ digest, ref, key, signal }) => {
      const { tenant, person, holds, more, url } = digest
      const over = more === 0 && holds.every(({ end }) => end)
      const payload = { title: digestTitle(digest), body: '', url: pathOf(url), tag: tagOf(ref, key), over }
      return sendAll(tenant, person, payload, { seconds: OVER_S, signal })
    },
  }
}

interface Sending {
  readonly seconds: number
  readonly signal: AbortSignal
}

interface Details {
  readonly method: string
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** Without arguments and reasons: a notification is shown on a locked screen. A person who lost the right reads no names. */
function wordsOf(message: HoldMessage): Pick<Payload, 'title' | 'body'> {
  const { why, end, reminded } = message
  if (why !== undefined && !end) return { title: 'A hold has changed', body: why }
  const { reason: _reason, ...shown } = end ?? { how: 'expired' as const }
  return {
    title: titleOf(end ? { ...message, end: shown } : message),
    body: reminded && !end ? 'This is a reminder.' : '',
  }
}

function tagOf(ref: Json | undefined, key: string): string {
  return (ref as unknown as Ref | undefined)?.tag ?? createHash('sha256').update(key).digest('base64url').slice(0, 32)
}

/** The worker opens it on its own origin only. */
function pathOf(url: string): string {
  return new URL(url).pathname
}

function checkKeys({
  subject,
  publicKey,
  privateKey,
}: {
  subject: string
  publicKey: string
  privateKey: string
}): void {
  try {
    webPush.getVapidHeaders('https://push.invalid', subject, publicKey, privateKey, 'aes128gcm')
  } catch (error) {
    throw new HoldpointError(
      'config-invalid',
      `Web push needs a contact and a pair of keys: npx web-push generate-vapid-keys. ${messageOf(error)}`,
      { cause: error },
    )
  }
}
