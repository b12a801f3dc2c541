/** Which channels a person uses, and where the person is there. One document per person. */
import { HoldpointError, type Json, type Store } from 'holdpoint'
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

  constructor(store: Store) {
    this.#store = store
  }

  async find(tenant: string, person: string): Promise<ChannelPerson | undefined> {
    const doc = await this.#store.get(tenant, PERSON, person)
    return doc && (doc.data as unknown as ChannelPerson)
  }

  async put(tenant: string, row: ChannelPerson): Promise<void> {
    checkPreferences(row)
    await this.#store.put({ tenant, kind: PERSON, id: row.person, data: row as unknown as Json })
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

  async remove(tenant: string, person: string): Promise<void> {
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
