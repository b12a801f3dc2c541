/** Which channels a person uses, and where the person is there. One document per person. */
import { HoldpointError, type Json, type Store } from 'holdpoint'
import type { Channel, ChannelDevice } from './channel.ts'
import { checkPreferences, type ChannelPreferences } from './preferences.ts'

export interface ChannelPerson extends ChannelPreferences {
  readonly person: string
  /** By the name of a channel: `{ email: 'ada@acme.test' }`. It says who presses a button, so only an admin sets it. */
  readonly addresses: Readonly<Record<string, string>>
  /** The person may also decide holds that name no one, as the scope `resolver` allows. */
  readonly resolver?: boolean
}

const PERSON = 'channels.person'
const PAGE = 200

export class ChannelPeople {
  readonly #store: Store

  readonly #channels: readonly Channel[]

  constructor(store: Store, channels: readonly Channel[] = []) {
    this.#store = store
    this.#channels = channels
  }

  async find(tenant: string, person: string): Promise<ChannelPerson | undefined> {
    const doc = await this.#store.get(tenant, PERSON, person)
    return doc && (doc.data as unknown as ChannelPerson)
  }

  /** The person's own browsers stay: an admin does not set those. Returns what was written. */
  async put(tenant: string, given: ChannelPerson): Promise<ChannelPerson> {
    checkPreferences(given)
    const own = this.#withDevices()?.name
    for (;;) {
      const doc = await this.#store.get(tenant, PERSON, given.person)
      const before = (doc?.data as unknown as ChannelPerson | undefined)?.addresses ?? {}
      const kept = own !== undefined && Object.hasOwn(before, own) ? { [own]: given.person } : {}
      const row: ChannelPerson = { ...given, addresses: { ...given.addresses, ...kept } }
      const put = { tenant, kind: PERSON, id: given.person, expected: doc?.version ?? 0, data: row as unknown as Json }
      if ((await this.#store.put(put)).result === 'ok') return row
    }
  }

  /** Throws for a person without addresses: an admin adds those first. */
  async prefer(tenant: string, person: string, preferences: ChannelPreferences): Promise<ChannelPerson> {
    checkPreferences(preferences)
    for (;;) {
      const doc = await this.#store.get(tenant, PERSON, person)
      if (!doc) throw new HoldpointError('config-invalid', `"${person}" has no channels yet. An admin adds them.`)
      const { addresses, resolver } = doc.data as unknown as ChannelPerson
      const row: ChannelPerson = { person, addresses, ...(resolver && { resolver }), ...preferences }
      const data = row as unknown as Json
      const written = await this.#store.put({ tenant, kind: PERSON, id: person, expected: doc.version, data })
      if (written.result === 'ok') return row
    }
  }

  /**
   * Adds a device of the person, who is told there from now on. `resolver` applies only to a person who had no entry: it is the
   * right of the one who registers. Undefined when no channel has devices.
   */
  async addDevice(
    tenant: string,
    person: string,
    device: unknown,
    { resolver }: { readonly resolver: boolean },
  ): Promise<ChannelDevice | undefined> {
    const channel = this.#withDevices()
    const added = await channel?.devices?.add(tenant, person, device)
    if (!channel || !added) return undefined
    for (;;) {
      const doc = await this.#store.get(tenant, PERSON, person)
      const { addresses, ...row }: ChannelPerson = doc
        ? (doc.data as unknown as ChannelPerson)
        : { person, addresses: {}, ...(resolver && { resolver }) }
      const data = { ...row, addresses: { ...addresses, [channel.name]: person } } as unknown as Json
      const put = { tenant, kind: PERSON, id: person, expected: doc?.version ?? 0, data }
      if ((await this.#store.put(put)).result === 'ok') return added
    }
  }

  /** The devices, and the key to register another one. Undefined when no channel has devices. */
  async devices(
    tenant: string,
    person: string,
  ): Promise<{ readonly publicKey: string; readonly items: readonly ChannelDevice[] } | undefined> {
    const devices = this.#withDevices()?.devices
    return devices && { publicKey: devices.publicKey, items: await devices.list(tenant, person) }
  }

  /** False when there is none. */
  async removeDevice(tenant: string, person: string, id: string): Promise<boolean> {
    return (await this.#withDevices()?.devices?.remove(tenant, person, id)) ?? false
  }

  #withDevices(): Channel | undefined {
    return this.#channels.find(({ devices }) => devices)
  }

  async remove(tenant: string, person: string): Promise<void> {
    for (const { devices } of this.#channels)
      for (const { id } of (await devices?.list(tenant, person)) ?? []) await devices?.remove(tenant, person, id)
    await this.#store.put({ tenant, kind: PERSON, id: person, data: undefined })
  }

  async *all(tenant: string): AsyncGenerator<ChannelPerson> {
    let after: string | undefined
    do {
      const query = { tenant, kind: PERSON, limit: PAGE, ...(after !== undefined && { after }) }
      const { items, next } = await this.#store.documents(query)
      for (const { data } of items) yield data as unknown as ChannelPerson
      after = next
    } while (after !== undefined)
  }

  /** The person with this address. Undefined for an address that several people have: it does not say who presses. */
  async withAddress(tenant: string, channel: string, address: string): Promise<ChannelPerson | undefined> {
    const found: ChannelPerson[] = []
    for await (const each of this.all(tenant)) if (each.addresses[channel] === address) found.push(each)
    return found.length === 1 ? found[0] : undefined
  }
}
