/**
 * The definitions that tools were allowed with, kept in the store. They are what models are shown, also while the server
 * is away, and what a changed definition is compared with: it is not used before somebody has seen the difference.
 */
import type { Json, Store } from '@holdpoint/core'
import { differences, fingerprintOf, type Definition, type Difference } from './definition.ts'

type Documents = Pick<Store, 'put' | 'get' | 'documents'>

interface Kept {
  readonly definition: Definition
  readonly fingerprint: string
  /** What the server says now, when that is something else. */
  readonly changed?: { readonly definition: Definition; readonly fingerprint: string }
  /** The server no longer has it. */
  readonly gone?: true
}

export interface Pin extends Kept {
  readonly changes: readonly Difference[]
}

const KIND = 'mcp-tool'
/** Far more than a server may have. */
const PAGE = 1000

export class Pins {
  readonly #store: Documents
  readonly #tenant: string
  /** Of the server as it is set up: another address under the same name is another server. */
  readonly #server: string

  constructor(store: Documents, tenant: string, server: string) {
    this.#store = store
    this.#tenant = tenant
    this.#server = server
  }

  async all(): Promise<readonly Pin[]> {
    const { items } = await this.#store.documents({
      tenant: this.#tenant,
      kind: KIND,
      prefix: `${this.#server}/`,
      limit: PAGE,
    })
    return items.map(({ data }) => pinOf(data))
  }

  /** Pins what is new, and notes what changed. What was pinned stays as it is. */
  async see(found: readonly Definition[]): Promise<readonly Pin[]> {
    const pinned = new Map((await this.all()).map((pin) => [pin.definition.name, pin]))
    const seen = await Promise.all(found.map((definition) => this.#see(definition, pinned.get(definition.name))))
    const names = new Set(found.map(({ name }) => name))
    const gone = [...pinned.values()].filter(({ definition }) => !names.has(definition.name))
    return [...seen, ...(await Promise.all(gone.map((pin) => this.#gone(pin))))]
  }

  async #see(definition: Definition, pin: Pin | undefined): Promise<Pin> {
    const fingerprint = fingerprintOf(definition)
    if (!pin) return this.#keep({ definition, fingerprint }, 0)
    const same = pin.fingerprint === fingerprint
    if (same ? !pin.changed && !pin.gone : pin.changed?.fingerprint === fingerprint && !pin.gone) return pin
    const { changed: _changed, changes: _changes, gone: _gone, ...kept } = pin
    return this.#keep(same ? kept : { ...kept, changed: { definition, fingerprint } })
  }

  #gone(pin: Pin): Promise<Pin> {
    const { changes: _changes, ...kept } = pin
    return pin.gone ? Promise.resolve(pin) : this.#keep({ ...kept, gone: true })
  }

  /** Takes what the server says now as what was allowed. `fingerprint` is of what was looked at, and of nothing newer. */
  async accept(tool: string, fingerprint: string): Promise<'accepted' | 'unknown' | 'changed-again'> {
    const doc = await this.#store.get(this.#tenant, KIND, this.#id(tool))
    const pin = doc && pinOf(doc.data)
    if (!doc || !pin?.changed) return pin?.fingerprint === fingerprint ? 'accepted' : 'unknown'
    if (pin.changed.fingerprint !== fingerprint) return 'changed-again'
    const data = pin.changed as unknown as Json
    const put = { tenant: this.#tenant, kind: KIND, id: this.#id(tool), expected: doc.version, data }
    return (await this.#store.put(put)).result === 'ok' ? 'accepted' : 'changed-again'
  }

  async #keep(kept: Kept, expected?: number): Promise<Pin> {
    const id = this.#id(kept.definition.name)
    const data = kept as unknown as Json
    const put = { tenant: this.#tenant, kind: KIND, id, data }
    // The first one to see a tool pins it; whoever comes later compares with that.
    const { result } = await this.#store.put(expected === undefined ? put : { ...put, expected })
    if (result === 'ok') return withChanges(kept)
    const now = await this.#store.get(this.#tenant, KIND, id)
    return now ? this.#see(kept.definition, pinOf(now.data)) : this.#keep(kept)
  }

  #id(tool: string): string {
    return `${this.#server}/${tool}`
  }
}

function pinOf(data: Json): Pin {
  return withChanges(data as unknown as Kept)
}

function withChanges(kept: Kept): Pin {
  return { ...kept, changes: kept.changed ? differences(kept.definition, kept.changed.definition) : [] }
}
