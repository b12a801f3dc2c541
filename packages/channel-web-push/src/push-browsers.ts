/** The browsers that a person registered, in the store. */
import { createHash } from 'node:crypto'
import { HoldpointError, type Json, type Store } from 'holdpoint'
import { isObject } from '@holdpoint/core'
import type { ChannelDevice, ChannelDevices } from '@holdpoint/channels'

export interface PushBrowser {
  readonly id: string
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly createdAt: number
}

interface BrowserOptions {
  readonly publicKey: string
  readonly now: () => number
  /** Of push services: `https:`. */
  readonly protocols: readonly string[]
}

const MOST = 20
const MOST_URL = 2000

export class PushBrowsers implements ChannelDevices {
  readonly publicKey: string
  readonly #store: Store
  readonly #kind: string
  readonly #now: () => number
  readonly #protocols: readonly string[]

  constructor(store: Store, channel: string, { publicKey, now, protocols }: BrowserOptions) {
    this.#store = store
    this.#kind = `web-push.${channel}`
    this.publicKey = publicKey
    this.#now = now
    this.#protocols = protocols
  }

  /** The same browser again changes nothing. Throws for what is no subscription. */
  async add(tenant: string, person: string, device: unknown): Promise<ChannelDevice> {
    const { endpoint, p256dh, auth } = subscriptionOf(device, this.#protocols)
    const id = createHash('sha256').update(endpoint).digest('base64url').slice(0, 22)
    const others = (await this.all(tenant, person)).filter((each) => each.id !== id)
    if (others.length >= MOST) throw new HoldpointError('config-invalid', `A person has at most ${MOST} browsers.`)
    const row: PushBrowser = { id, endpoint, p256dh, auth, createdAt: this.#now() }
    const data = row as unknown as Json
    await this.#store.put({ tenant, kind: this.#kind, id: `${encodeURIComponent(person)}/${id}`, data })
    return { id, createdAt: row.createdAt }
  }

  async list(tenant: string, person: string): Promise<readonly ChannelDevice[]> {
    return (await this.all(tenant, person)).map(({ id, createdAt }) => ({ id, createdAt }))
  }

  async remove(tenant: string, person: string, id: string): Promise<boolean> {
    const at = `${encodeURIComponent(person)}/${id}`
    if (!(await this.#store.get(tenant, this.#kind, at))) return false
    await this.#store.put({ tenant, kind: this.#kind, id: at, data: undefined })
    return true
  }

  async all(tenant: string, person: string): Promise<readonly PushBrowser[]> {
    const prefix = `${encodeURIComponent(person)}/`
    const { items } = await this.#store.documents({ tenant, kind: this.#kind, prefix, limit: MOST })
    return items.map(({ data }) => data as unknown as PushBrowser)
  }
}

/** As `PushSubscription.toJSON()` gives it. */
function subscriptionOf(
  device: unknown,
  protocols: readonly string[],
): Pick<PushBrowser, 'endpoint' | 'p256dh' | 'auth'> {
  const { endpoint, keys } = isObject(device) ? device : {}
  const { p256dh, auth } = isObject(keys) ? keys : {}
  const isUrl = typeof endpoint === 'string' && endpoint.length <= MOST_URL && URL.canParse(endpoint)
  if (!isUrl || !protocols.includes(new URL(endpoint).protocol) || !isKey(p256dh, 65, 65) || !isKey(auth, 16, 64))
    throw new HoldpointError('config-invalid', 'This is not a subscription of a browser: { endpoint, keys }.')
  return { endpoint, p256dh, auth }
}

function isKey(text: unknown, least: number, most: number): text is string {
  if (typeof text !== 'string' || !/^[\w-]{1,120}=*$/.test(text)) return false
  const { length } = Buffer.from(text, 'base64url')
  return length >= least && length <= most
}
