/**
 * The accepted definitions of tools, in the store. Models are shown these, also while the server is unavailable. A changed
 * definition is compared with them, and is not used before a person has seen the difference. Every process checks the
 * revision before it shows tools to a model, so that a change by one process applies to all.
 */
import type { Document, Json, Store } from '@holdpoint/core'
import { differences, fingerprintOf, type Definition, type Difference } from './tool-definition.ts'
import { LIMITS } from './limits.ts'

type Documents = Pick<Store, 'put' | 'get' | 'documents'>

interface StoredPin {
  readonly definition: Definition
  readonly fingerprint: string
  /** The server's current definition, if it differs. */
  readonly changed?: { readonly definition: Definition; readonly fingerprint: string }
  /** The server no longer has it. */
  readonly gone?: true
  /** The server added it after its first listing. It is not accepted before a person has seen it. */
  readonly isNew?: true
}

export interface Pin extends StoredPin {
  readonly changes: readonly Difference[]
  /** The version of its document, for compare-and-set. */
  readonly version: number
}

/** The pins of a server at a revision. */
export interface Pinned {
  readonly pins: readonly Pin[]
  readonly revision: number
}

const KIND = 'mcp-tool'
/** An empty document whose version counts the changes. */
const REVISION = 'mcp-revision'
const PAGE = 500
const NO_REVISION = -1

export class Pins {
  readonly #store: Documents
  readonly #tenant: string
  /** The key of the server. Another address under the same name is another server. */
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
    // Read first: a concurrent change is then read twice, never missed.
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

  /**
   * Pins all tools the first time. Later it records changes and new tools, and keeps the pinned definitions. A tool that the
   * configuration names is accepted when it is first seen. `tooMany` are the tools above the limit.
   */
  async record(
    found: readonly Definition[],
    isNamed: (tool: string) => boolean = () => false,
  ): Promise<Pinned & { readonly tooMany: readonly string[] }> {
    const before = await this.all()
    const isFirst = before.revision === 0 && before.pins.length === 0
    const pinned = new Map(before.pins.map((pin) => [pin.definition.name, pin]))
    let room = LIMITS.pins - pinned.size
    const taken = found.filter(({ name }) => pinned.has(name) || room-- > 0)
    const names = new Set(taken.map(({ name }) => name))
    const seen = await Promise.all(
      taken.map((definition) => {
        const { name } = definition
        return this.#recordOne(definition, pinned.get(name), isFirst || isNamed(name))
      }),
    )
    const gone = before.pins.filter(({ definition }) => !names.has(definition.name))
    const pins = [...seen, ...(await Promise.all(gone.map((pin) => this.#gone(pin))))]
    const tooMany = found.flatMap(({ name }) => (names.has(name) ? [] : [name]))
    // The first listing is recorded even if it is empty, so that later tools are new.
    const wrote = isFirst || pins.some((pin) => pinned.get(pin.definition.name) !== pin)
    const revision = wrote ? await this.#newRevision() : before.revision
    // Another process wrote at the same time, so the result is incomplete. `NO_REVISION` makes the caller read it again.
    return { pins, tooMany, revision: wrote && revision !== before.revision + 1 ? NO_REVISION : revision }
  }

  async #recordOne(definition: Definition, pin: Pin | undefined, allowed: boolean): Promise<Pin> {
    const fingerprint = fingerprintOf(definition)
    const seen = { definition, fingerprint, ...(!allowed && { isNew: true as const }) }
    if (!pin) return this.#keep(definition, seen, 0, allowed)
    const same = pin.fingerprint === fingerprint
    if (same ? !pin.changed && !pin.gone : pin.changed?.fingerprint === fingerprint && !pin.gone) return pin
    const kept = { definition: pin.definition, fingerprint: pin.fingerprint, ...(pin.isNew && { isNew: pin.isNew }) }
    const changed = pin.isNew ? { ...seen, isNew: pin.isNew } : { ...kept, changed: { definition, fingerprint } }
    return this.#keep(definition, same ? kept : changed, pin.version, allowed)
  }

  #gone(pin: Pin): Promise<Pin> {
    const { changes: _changes, version, ...kept } = pin
    return pin.gone ? Promise.resolve(pin) : this.#keep(undefined, { ...kept, gone: true }, version, false)
  }

  /** Accepts the current definition, if `fingerprint` still matches it. */
  async accept(tool: string, fingerprint: string): Promise<'accepted' | 'unknown' | 'changed-again'> {
    const doc = await this.#store.get(this.#tenant, KIND, this.#id(tool))
    const pin = doc && pinOf(doc)
    if (!pin || !(pin.changed || pin.isNew)) return pin?.fingerprint === fingerprint ? 'accepted' : 'unknown'
    const { definition, fingerprint: current } = pin.changed ?? pin
    if (current !== fingerprint) return 'changed-again'
    const data = { definition, fingerprint, ...(pin.gone && { gone: true }) } as unknown as Json
    const put = { tenant: this.#tenant, kind: KIND, id: this.#id(tool), expected: pin.version, data }
    // Another process wrote first. Read its change, and compare the fingerprint again.
    if ((await this.#store.put(put)).result !== 'ok') return this.accept(tool, fingerprint)
    await this.#newRevision()
    return 'accepted'
  }

  async #newRevision(): Promise<number> {
    const put = { tenant: this.#tenant, kind: REVISION, id: this.#server, data: null }
    const { version } = await this.#store.put(put)
    return version
  }

  /** Compare-and-set. On a conflict, the decision is made again with the stored pin. */
  async #keep(seen: Definition | undefined, kept: StoredPin, expected: number, allowed: boolean): Promise<Pin> {
    const id = this.#id(kept.definition.name)
    const data = kept as unknown as Json
    const { result, version } = await this.#store.put({ tenant: this.#tenant, kind: KIND, id, data, expected })
    if (result === 'ok') return withChanges(kept, version)
    const now = await this.#store.get(this.#tenant, KIND, id)
    if (seen) return this.#recordOne(seen, now && pinOf(now), allowed)
    return now ? this.#gone(pinOf(now)) : withChanges(kept, 0)
  }

  #id(tool: string): string {
    return `${this.#server}/${tool}`
  }
}

function pinOf({ data, version }: Document): Pin {
  return withChanges(data as unknown as StoredPin, version)
}

function withChanges(kept: StoredPin, version: number): Pin {
  const { definition, changed, isNew } = kept
  const changes = changed || isNew ? differences(isNew ? {} : definition, (changed ?? kept).definition) : []
  return { ...kept, changes, version }
}
