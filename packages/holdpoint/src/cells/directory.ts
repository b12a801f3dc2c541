/**
 * Which cell a tenant is in: a document of the home cell for each tenant that has data. A process remembers an entry for a second.
 * A move waits for longer than that, so each process that is not stopped knows of a move before it begins.
 *
 * | entry              | the tenant is in | its data may be written by                      |
 * |---|---|---|
 * | none               | its first cell   | anyone; the first write makes the entry         |
 * | `{ cell }`         | `cell`           | anyone                                          |
 * | `{ cell, to }`     | `cell`           | drivers that finish their work; all others wait |
 */
import { HoldpointError, type Json, type Store } from '@holdpoint/core'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Place {
  readonly cell: string
  /** The cell that the tenant is being moved to. */
  readonly to?: string
  /** How often the tenant was moved. */
  readonly moves: number
}

interface Entry {
  readonly place: Place
  /** The version of the document; 0 if there is none. */
  readonly version: number
}

const KIND = 'cell'
/** For how long a process may use what it read. */
export const REMEMBER_MS = 1000
const POLL_MS = 100
/** How long a caller waits for the end of a move. */
const PATIENCE_MS = 30_000

export class Directory {
  readonly #home: Pick<Store, 'get' | 'put'>
  readonly #homeCell: string
  readonly #firstCell: (tenant: string) => string
  readonly #known = new Map<string, { readonly entry: Promise<Entry>; readonly at: number; last?: Entry }>()

  constructor(home: Pick<Store, 'get' | 'put'>, homeCell: string, firstCell: (tenant: string) => string) {
    this.#home = home
    this.#homeCell = homeCell
    this.#firstCell = firstCell
  }

  /** Where the tenant is, at most a second ago. While the home cell does not answer, what was known last. */
  async placeOf(tenant: string): Promise<Place> {
    if (tenant === '') return { cell: this.#homeCell, moves: 0 }
    return (await this.#entryOf(tenant)).place
  }

  /** Where to write. Makes the entry of a new tenant, so that another configuration does not lose its data. */
  async placeToWrite(tenant: string): Promise<Place> {
    if (tenant === '') return this.placeOf(tenant)
    const { place, version } = await this.#entryOf(tenant)
    if (version > 0) return place
    await this.#home.put({ tenant: '', kind: KIND, id: tenant, expected: 0, data: place as unknown as Json })
    return (await this.#read(tenant)).place
  }

  /** Where the tenant is once it is not being moved. */
  async settled(tenant: string): Promise<Place> {
    for (const since = performance.now(); ;) {
      const place = await this.placeOf(tenant)
      if (place.to === undefined) return place
      if (performance.now() - since > PATIENCE_MS)
        throw new HoldpointError('store-unavailable', `The tenant "${tenant}" is being moved. Try again soon.`)
      await sleep(POLL_MS)
      this.forget(tenant)
    }
  }

  /** What this process has read must not be used again. */
  forget(tenant: string): void {
    const known = this.#known.get(tenant)
    if (known) this.#known.set(tenant, { ...known, at: -Infinity })
  }

  /** Writes the place of a tenant, unless another process did since it was read. */
  async change(tenant: string, make: (place: Place) => Place): Promise<Place> {
    await this.placeToWrite(tenant)
    const { place, version } = await this.#read(tenant)
    const next = make(place)
    const put = { tenant: '', kind: KIND, id: tenant, expected: version, data: next as unknown as Json }
    if ((await this.#home.put(put)).result === 'conflict')
      throw new HoldpointError('store-unavailable', `The place of "${tenant}" changed at the same moment. Try again.`)
    await this.#read(tenant)
    return next
  }

  async #entryOf(tenant: string): Promise<Entry> {
    const known = this.#known.get(tenant)
    if (known && performance.now() - known.at < REMEMBER_MS) return known.entry
    try {
      return await this.#read(tenant)
    } catch (error) {
      if (known?.last) return known.last
      throw error
    }
  }

  #read(tenant: string): Promise<Entry> {
    const reading = this.#home.get('', KIND, tenant).then((document): Entry => {
      if (!document) return { place: { cell: this.#firstCell(tenant), moves: 0 }, version: 0 }
      return { place: document.data as unknown as Place, version: document.version }
    })
    const known: { entry: Promise<Entry>; at: number; last?: Entry } = { entry: reading, at: performance.now() }
    const { last } = this.#known.get(tenant) ?? {}
    if (last) known.last = last
    this.#known.set(tenant, known)
    reading.then(
      (entry) => (known.last = entry),
      () => this.forget(tenant),
    )
    return reading
  }
}
