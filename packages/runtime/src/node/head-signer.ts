/**
 * Signs the heads of logs at intervals. A signed head is a note of its log, so it is moved and erased with it.
 *
 * Of the processes with a key, one makes a pass at a time: a document has the time of the newest pass. A pass looks at the logs that
 * changed since the one before, and once a day at all of them, because an imported log is older than its arrival.
 */
import { milliseconds } from '@holdpoint/core/internal/duration'
import { NO_HASH } from '@holdpoint/core/internal/log/chain'
import { SIGNED_HEAD, signHead, type SignedHead, type Signer } from '@holdpoint/core/internal/log/signed-head'
import type { Address, Store, WalkedConversation } from '@holdpoint/core/internal/log/store'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { Engine } from './engine.ts'

/** A public key of the installation. */
export interface SigningKey {
  /** Its fingerprint: SHA-256 of its DER form (SPKI), as hex. */
  readonly key: string
  /** PEM. */
  readonly publicKey: string
  /** When an installation with this key was first started. */
  readonly since: number
}

const PASS = 'signing-pass'
const KEY = 'signing-key'
/** Keys and passes belong to the installation, not to a tenant. */
const TENANT = ''
const PAGE = 200
const DAY_MS = 86_400_000
/** The clocks of two processes differ by less. */
const MARGIN_MS = 60_000

interface Pass {
  readonly begun: number
  /** Logs that changed before this time have their heads signed. */
  readonly from: number
  /** When all logs were looked at. */
  readonly all: number
}

export class HeadSigner {
  readonly #engine: Pick<Engine, 'store' | 'ports' | 'problem'>
  readonly #signer: Signer
  readonly #everyMs: number
  readonly #inBackground: boolean
  #known = false
  #nextAt = 0
  #pass: Promise<void> | undefined

  constructor(
    engine: Pick<Engine, 'store' | 'ports' | 'problem'>,
    { key, every = '10 minutes' }: NonNullable<RuntimeOptions['signing']>,
    inBackground: boolean,
  ) {
    this.#engine = engine
    this.#signer = key
    this.#everyMs = milliseconds(every)
    this.#inBackground = inBackground
  }

  get key(): string {
    return this.#signer.key
  }

  /** Begins a pass when it is time. A pass may take long, so nothing waits for it. */
  look(signal: AbortSignal): void {
    const now = this.#engine.ports.monotonic()
    if (!this.#inBackground || this.#pass || now < this.#nextAt) return
    this.#nextAt = now + this.#everyMs
    this.#pass = this.#signChanged(signal)
      .catch((error: unknown) => this.#engine.problem(error))
      .finally(() => (this.#pass = undefined))
  }

  async settled(): Promise<void> {
    await this.#pass
  }

  /** Signs the newest head, unless it is signed. Returns its seq; undefined for a log without hashes. */
  async sign(address: Address): Promise<number | undefined> {
    const { store, ports } = this.#engine
    await this.#publish()
    const [seq = 0] = await store.heads([address])
    const batch = seq === 0 ? undefined : (await store.batches(address, seq - 1, 1))[0]
    if (!batch || batch.hash === NO_HASH) return undefined
    if ((await newestSigned(store, address)) === batch.seq) return batch.seq
    const now = ports.now()
    const head = signHead(this.#signer, { of: 'log', ...address, seq: batch.seq, hash: batch.hash, at: now })
    await store.note(address, { kind: SIGNED_HEAD, seq: batch.seq, at: now, data: { ...head } })
    return batch.seq
  }

  async #signChanged(signal: AbortSignal): Promise<void> {
    const { store, ports, problem } = this.#engine
    await this.#publish()
    const now = ports.now()
    const doc = await store.get(TENANT, PASS, PASS)
    const last = (doc?.data as Pass | undefined) ?? { begun: -Infinity, from: 0, all: -Infinity }
    if (now - last.begun < this.#everyMs) return
    const whole = now - last.all >= DAY_MS
    const begun = { begun: now, from: last.from, all: Number.isFinite(last.all) ? last.all : 0 }
    const taken = await store.put({
      tenant: TENANT,
      kind: PASS,
      id: PASS,
      expected: doc?.version ?? 0,
      data: { ...begun },
    })
    if (taken.result !== 'ok') return
    const from = whole ? -Infinity : last.from
    for (let after: string | undefined; ;) {
      const { items, next } = await store.walk({ limit: PAGE, ...(after !== undefined && { after }) })
      for (const row of items) {
        if (signal.aborted) return
        // One that fails must not keep the others.
        if (row.updatedAt >= from) await this.#signRow(row).catch((error: unknown) => problem(error, row))
      }
      if (next === undefined) break
      after = next
    }
    const done: Pass = { begun: now, from: now - MARGIN_MS, all: whole ? now : begun.all }
    await store.put({ tenant: TENANT, kind: PASS, id: PASS, expected: taken.version, data: { ...done } })
  }

  async #signRow({ tenant, id, seq }: WalkedConversation): Promise<void> {
    const address = { tenant, id }
    if ((await newestSigned(this.#engine.store, address)) < seq) await this.sign(address)
  }

  /** A head that is signed must not be without its key in the list. */
  async #publish(): Promise<void> {
    if (this.#known) return
    const { store, ports } = this.#engine
    const { key, publicKey } = this.#signer
    await store.put({
      tenant: TENANT,
      kind: KEY,
      id: key,
      expected: 0,
      data: { key, publicKey, since: ports.now() },
    })
    this.#known = true
  }

  /** The keys of the installation, also former ones. */
  async keys(): Promise<readonly SigningKey[]> {
    await this.#publish()
    return signingKeys(this.#engine.store)
  }
}

/** Every key with which a process of this installation was ever started. */
export async function signingKeys(store: Store): Promise<readonly SigningKey[]> {
  const { items } = await store.documents({ tenant: TENANT, kind: KEY, limit: 1000 })
  return items.map(({ data }) => data as unknown as SigningKey).toSorted((a, b) => a.since - b.since)
}

export interface SignedAt {
  readonly seq: number
  readonly head: SignedHead
}

/** The signed heads of a log, oldest first. */
export async function signedHeads(store: Store, address: Address): Promise<readonly SignedAt[]> {
  const found: SignedAt[] = []
  for (let before: number | undefined; ;) {
    const page = await store.notes(address, {
      kind: SIGNED_HEAD,
      limit: PAGE,
      ...(before !== undefined && { before }),
    })
    found.push(...page.map(({ seq, data }) => ({ seq, head: data as unknown as SignedHead })))
    before = page.at(-1)?.seq
    if (page.length < PAGE) return found.toReversed()
  }
}

async function newestSigned(store: Store, address: Address): Promise<number> {
  const [note] = await store.notes(address, { kind: SIGNED_HEAD, limit: 1 })
  return note?.seq ?? 0
}
