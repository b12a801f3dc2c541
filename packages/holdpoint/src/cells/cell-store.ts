/**
 * One store over several cells. A tenant is whole in one of them, so every operation but the ones for all tenants goes to one cell,
 * and no operation needs two. A cell that does not answer holds up only its own tenants.
 *
 * - An epoch of a log begins with the number of times that its tenant was moved. So an owner from before a move is fenced.
 * - While a tenant is moved, drivers finish their work in the old cell, and everything else waits.
 */
import {
  HoldpointError,
  messageOf,
  type Address,
  type Append,
  type Appended,
  type FileStore,
  type Store,
} from '@holdpoint/core'
import { isMoved } from '@holdpoint/spaces'
import { setTimeout as sleep } from 'node:timers/promises'
import { cellFiles } from './cell-files.ts'
import type { Directory, Place } from './directory.ts'

/** Far above the number of owners that a log ever has. */
const EPOCHS = 1_000_000_000
/** How long the operations for all tenants wait for a cell. */
const CELL_TIMEOUT_MS = 2000

export class CellStore implements Store {
  readonly #cells: ReadonlyMap<string, Store>
  readonly #home: Store
  readonly #directory: Directory
  readonly #problem: (error: unknown) => void

  constructor(
    cells: ReadonlyMap<string, Store>,
    home: string,
    directory: Directory,
    problem: (error: unknown) => void,
  ) {
    this.#cells = cells
    this.#home = cells.get(home)!
    this.#directory = directory
    this.#problem = problem
  }

  async append(write: Append): Promise<Appended> {
    const { tenant } = write.to
    try {
      let place = await this.#directory.placeToWrite(tenant)
      if (place.to !== undefined && write.epoch === undefined && !(await this.#isPast(place, write)))
        place = await this.#directory.settled(tenant)
      const first = place.moves * EPOCHS
      if (write.epoch !== undefined && write.epoch < first) return { result: 'fenced' }
      const inCell = write.epoch === undefined ? write : { ...write, epoch: write.epoch - first }
      const answer = await this.#at(place).append(inCell)
      return answer.result === 'ok' ? { ...answer, epoch: answer.epoch + first } : answer
    } catch (error) {
      return { result: 'unknown', why: messageOf(error) }
    }
  }

  load: Store['load'] = (from) => this.#ofLog(from, (store) => store.load(from))
  follow: Store['follow'] = (from, head) => this.#ofLog(from, (store) => store.follow(from, head))
  batches: Store['batches'] = (from, after, limit) => this.#ofLog(from, (store) => store.batches(from, after, limit))
  read: Store['read'] = (from, after, limit) => this.#ofLog(from, (store) => store.read(from, after, limit))
  readBack: Store['readBack'] = (from, before, limit) =>
    this.#ofLog(from, (store) => store.readBack(from, before, limit))
  readCall: Store['readCall'] = (from, callId) => this.#ofLog(from, (store) => store.readCall(from, callId))
  findKey: Store['findKey'] = (from, key) => this.#ofLog(from, (store) => store.findKey(from, key))
  notes: Store['notes'] = (from, query) => this.#ofLog(from, (store) => store.notes(from, query))
  confirm = (of: Address): Promise<void> => this.#ofLog(of, async (store) => store.confirm?.(of))
  note: Store['note'] = (to, note) => this.#ofLog(to, (store) => store.note(to, note))

  findCall: Store['findCall'] = (tenant, callId) => this.#settled(tenant, (store) => store.findCall(tenant, callId))
  pending: Store['pending'] = (query) => this.#settled(query.tenant, (store) => store.pending(query))
  list: Store['list'] = (query) => this.#settled(query.tenant, (store) => store.list(query))
  usage: Store['usage'] = (tenant) => this.#settled(tenant, (store) => store.usage(tenant))

  async put(put: Parameters<Store['put']>[0]): ReturnType<Store['put']> {
    await this.#directory.placeToWrite(put.tenant)
    return this.#at(await this.#directory.settled(put.tenant)).put(put)
  }

  get: Store['get'] = async (tenant, kind, id) => this.#at(await this.#directory.placeOf(tenant)).get(tenant, kind, id)
  documents: Store['documents'] = async (query) =>
    this.#at(await this.#directory.placeOf(query.tenant)).documents(query)

  files(): FileStore {
    return cellFiles(this.#cells, this.#directory)
  }

  async heads(of: readonly Address[]): Promise<readonly number[]> {
    const places = await Promise.all(of.map(({ tenant }) => this.#directory.placeOf(tenant)))
    const heads = of.map(() => 0)
    const cells = Map.groupBy(places.keys(), (nth) => places[nth]!.cell)
    await Promise.all(
      [...cells].map(async ([cell, nths]) => {
        const found = await this.#forAll(cell, (store) => store.heads(nths.map((nth) => of[nth]!)))
        for (const [index, nth] of nths.entries()) heads[nth] = found?.[index] ?? 0
      }),
    )
    return heads
  }

  async sweep(limit: number): Promise<number> {
    let swept = 0
    for (const cell of this.#cells.keys()) {
      if (swept >= limit) break
      swept += (await this.#forAll(cell, (store) => store.sweep(limit - swept))) ?? 0
    }
    return swept
  }

  /** One cell after the other. A copy that is not in use yet, or no more, is left out. */
  async walk({ after, limit }: Parameters<Store['walk']>[0]): ReturnType<Store['walk']> {
    const cells = [...this.#cells.keys()]
    const [nth, place] = after === undefined ? [0, undefined] : (JSON.parse(after) as [number, string?])
    const store = this.#cells.get(cells[nth] ?? '')
    if (!store) return { items: [], next: undefined }
    const page = await store.walk({ limit, ...(place !== undefined && { after: place }) })
    const places = await Promise.all(page.items.map(({ tenant }) => this.#directory.placeOf(tenant)))
    const last = page.next === undefined && nth + 1 >= cells.length
    return {
      items: page.items.filter((_, index) => places[index]!.cell === cells[nth]),
      next: last ? undefined : JSON.stringify(page.next === undefined ? [nth + 1] : [nth, page.next]),
    }
  }

  /** Deadlines are compared with the clock of the home cell. A cell that does not answer loses its lease, and is fenced. */
  async beat(node: string, ttlMs: number): Promise<number> {
    const others = [...this.#cells.entries()].filter(([, store]) => store !== this.#home)
    const [time] = await Promise.all([
      this.#home.beat(node, ttlMs),
      ...others.map(([cell]) => this.#forAll(cell, (store) => store.beat(node, ttlMs))),
    ])
    return time
  }

  async leave(node: string): Promise<void> {
    await Promise.all([...this.#cells.keys()].map((cell) => this.#forAll(cell, (store) => store.leave(node))))
  }

  async due(query: Parameters<Store['due']>[0]): ReturnType<Store['due']> {
    const found = await Promise.all(
      [...this.#cells.keys()].map(async (cell) => {
        const due = await this.#forAll(cell, (store) => store.due(query))
        const places = await Promise.all(
          (due?.conversations ?? []).map(({ tenant }) => this.#directory.placeOf(tenant)),
        )
        return { due, here: (due?.conversations ?? []).filter((_, nth) => places[nth]!.cell === cell) }
      }),
    )
    const next = found.flatMap(({ due }) => due?.next ?? [])
    return {
      conversations: found.flatMap(({ here }) => here).slice(0, query.limit),
      next: next.length > 0 ? Math.min(...next) : undefined,
    }
  }

  async takeOver(what: Address, node: string): Promise<number | undefined> {
    const place = await this.#directory.placeOf(what.tenant)
    const epoch = await this.#at(place).takeOver(what, node)
    return epoch === undefined ? undefined : epoch + place.moves * EPOCHS
  }

  listen(changed: Parameters<Store['listen']>[0]): () => void {
    const stops = [...this.#cells.values()].map((store) => store.listen(changed))
    return () => stops.forEach((stop) => stop())
  }

  watchServer(changed: (what: string) => void): () => void {
    const stops = [...this.#cells].map(([cell, store]) => store.watchServer?.((what) => changed(`${cell}: ${what}`)))
    return () => stops.forEach((stop) => stop?.())
  }

  async inspect(): Promise<readonly string[]> {
    const found = await Promise.all(
      [...this.#cells].map(async ([cell, store]) => (await store.inspect()).map((problem) => `${cell}: ${problem}`)),
    )
    return found.flat()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#cells.values()].map((store) => store.close()))
  }

  #at({ cell }: Place): Store {
    const store = this.#cells.get(cell)
    if (store) return store
    throw new HoldpointError(
      'store-unusable',
      `A tenant is in the cell "${cell}", which this process does not have. Add it to "cells".`,
    )
  }

  /**
   * A driver that doubts whether it still owns a log repeats an old append of any kind, and the move waits for this driver. So an
   * append that the log has passed does not wait: it writes nothing.
   */
  async #isPast(place: Place, { to, expectedSeq }: Append): Promise<boolean> {
    const [head = 0] = await this.#at(place).heads([to])
    return head > expectedSeq
  }

  async #settled<T>(tenant: string, work: (store: Store) => Promise<T>): Promise<T> {
    return work(this.#at(await this.#directory.settled(tenant)))
  }

  /** During a move, a log is in the old cell until it has a tombstone there. A process that was stopped may not know of the move. */
  async #ofLog<T>(address: Address, work: (store: Store) => Promise<T>): Promise<T> {
    const place = await this.#directory.placeOf(address.tenant)
    const store = this.#at(place)
    const found = await work(store)
    if (place.to === undefined && !mayBeMoved(found)) return found
    const [head = 0] = await store.heads([address])
    const [last] = head === 0 ? [] : await store.readBack(address, head + 1, 1)
    // A log that is not in the old cell may be made in the new one, but not before the end of the move.
    if (head > 0 && !isMoved(last)) return found
    this.#directory.forget(address.tenant)
    return this.#settled(address.tenant, work)
  }

  /** For operations that need an answer of every cell that gives one. */
  async #forAll<T>(cell: string, work: (store: Store) => Promise<T>): Promise<T | undefined> {
    const over = new AbortController()
    try {
      return await Promise.race([
        work(this.#cells.get(cell)!),
        sleep(CELL_TIMEOUT_MS, undefined, { signal: over.signal, ref: false }).then(() => {
          throw new Error(`no answer within ${CELL_TIMEOUT_MS} ms`)
        }),
      ])
    } catch (error) {
      this.#problem(
        new HoldpointError('store-unavailable', `The cell "${cell}" does not work: ${messageOf(error)}`, {
          cause: error,
        }),
      )
      return undefined
    } finally {
      over.abort()
    }
  }
}

/** Whether what was read may be the tombstone of a log that was moved. */
function mayBeMoved(found: unknown): boolean {
  if (Array.isArray(found)) return isMoved(found.at(-1))
  if (typeof found !== 'object' || found === null || !('events' in found)) return false
  return isMoved((found as { readonly events: readonly [] }).events.at(-1))
}
