/**
 * The definitions that tools were allowed with, kept in the store. They are what models are shown, also while the server
 * is away, and what a changed definition is compared with: it is not used before somebody has seen the difference. Every
 * process looks at the revision before it shows tools to a model, so that what one of them wrote counts for all of them.
 */
import type { Document, Json, Store } from '@holdpoint/core'
import { differences, fingerprintOf, type Definition, type Difference } from './definition.ts'
import { LIMITS } from './limits.ts'

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
  /** Of its document, which is changed only by whoever has read it as it is. */
  readonly version: number
}

/** What is kept of a server's tools, as of a revision. */
export interface Pinned {
  readonly pins: readonly Pin[]
  readonly revision: number
}

const KIND = 'mcp-tool'
/** Says nothing but by its version: that something was written. */
const REVISION = 'mcp-revision'
const PAGE = 500
const NONE = -1

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

  async revision(): Promise<number> {
    return (await this.#store.get(this.#tenant, REVISION, this.#server))?.version ?? 0
  }

  async all(): Promise<Pinned> {
    // Before the rest: what is written meanwhile is read twice rather than never.
    const revision = await this.revision()
    const pins: Pin[] = []
    let after: string | undefined
    do {
      const { items, next } = await this.#store.documents({
        tenant: this.#tenant,
        kind: KIND,
        prefix: `${this.#server}/`,
        limit: PAGE,
        ...(after !== undefined && { after }),
      })
      pins.push(...items.map(pinOf))
      after = next
    } while (after !== undefined)
    return { pins, revision }
  }

  /** Pins what is new, and notes what changed. What was pinned stays as it is. What there is no room for is `tooMany`. */
  async see(found: readonly Definition[]): Promise<Pinned & { readonly tooMany: readonly string[] }> {
    const before = await this.all()
    const pinned = new Map(before.pins.map((pin) => [pin.definition.name, pin]))
    let room = LIMITS.pins - pinned.size
    const taken = found.filter(({ name }) => pinned.has(name) || room-- > 0)
    const names = new Set(taken.map(({ name }) => name))
    const seen = await Promise.all(taken.map((definition) => this.#see(definition, pinned.get(definition.name))))
    const gone = before.pins.filter(({ definition }) => !names.has(definition.name))
    const pins = [...seen, ...(await Promise.all(gone.map((pin) => this.#gone(pin))))]
    const tooMany = found.flatMap(({ name }) => (names.has(name) ? [] : [name]))
    const isNew = pins.some((pin) => pinned.get(pin.definition.name) !== pin)
    const revision = isNew ? await this.#renew() : before.revision
    // Somebody else wrote meanwhile, so this is not all there is: no revision is read anew.
    return { pins, tooMany, revision: isNew && revision !== before.revision + 1 ? NONE : revision }
  }

  async #see(definition: Definition, pin: Pin | undefined): Promise<Pin> {
    const fingerprint = fingerprintOf(definition)
    if (!pin) return this.#keep(definition, { definition, fingerprint }, 0)
    const same = pin.fingerprint === fingerprint
    if (same ? !pin.changed && !pin.gone : pin.changed?.fingerprint === fingerprint && !pin.gone) return pin
    const kept = { definition: pin.definition, fingerprint: pin.fingerprint }
    return this.#keep(definition, same ? kept : { ...kept, changed: { definition, fingerprint } }, pin.version)
  }

  #gone(pin: Pin): Promise<Pin> {
    const { changes: _changes, version, ...kept } = pin
    return pin.gone ? Promise.resolve(pin) : this.#keep(undefined, { ...kept, gone: true }, version)
  }

  /** Takes what the server says now as what was allowed. `fingerprint` is of what was looked at, and of nothing newer. */
  async accept(tool: string, fingerprint: string): Promise<'accepted' | 'unknown' | 'changed-again'> {
    const doc = await this.#store.get(this.#tenant, KIND, this.#id(tool))
    const pin = doc && pinOf(doc)
    if (!pin?.changed) return pin?.fingerprint === fingerprint ? 'accepted' : 'unknown'
    if (pin.changed.fingerprint !== fingerprint) return 'changed-again'
    const data = pin.changed as unknown as Json
    const put = { tenant: this.#tenant, kind: KIND, id: this.#id(tool), expected: pin.version, data }
    // Somebody else wrote first: perhaps the same, perhaps that it changed again.
    if ((await this.#store.put(put)).result !== 'ok') return this.accept(tool, fingerprint)
    await this.#renew()
    return 'accepted'
  }

  async #renew(): Promise<number> {
    const put = { tenant: this.#tenant, kind: REVISION, id: this.#server, data: null }
    const { version } = await this.#store.put(put)
    return version
  }

  /** Written in the place of what was read, and of nothing newer; otherwise it is judged again by what is there. */
  async #keep(seen: Definition | undefined, kept: Kept, expected: number): Promise<Pin> {
    const id = this.#id(kept.definition.name)
    const data = kept as unknown as Json
    const { result, version } = await this.#store.put({ tenant: this.#tenant, kind: KIND, id, data, expected })
    if (result === 'ok') return withChanges(kept, version)
    const now = await this.#store.get(this.#tenant, KIND, id)
    if (seen) return this.#see(seen, now && pinOf(now))
    return now ? this.#gone(pinOf(now)) : withChanges(kept, 0)
  }

  #id(tool: string): string {
    return `${this.#server}/${tool}`
  }
}

function pinOf({ data, version }: Document): Pin {
  return withChanges(data as unknown as Kept, version)
}

function withChanges(kept: Kept, version: number): Pin {
  const changes = kept.changed ? differences(kept.definition, kept.changed.definition) : []
  return { ...kept, changes, version }
}
