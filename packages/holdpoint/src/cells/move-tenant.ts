/**
 * Moves a tenant to another cell, while it is in use:
 *
 * 1. Its logs are copied. Nothing waits.
 * 2. The directory says that it is being moved. Messages and answers wait from now on, and drivers finish their work.
 * 3. A tombstone ends each log in the old cell, and the rest before it is copied. Then documents are copied.
 * 4. The directory names the new cell, and everything goes on there.
 * 5. A log that a process made in the old cell meanwhile, because it was stopped since before step 2, is copied too. The old cell
 *    forgets the tenant.
 *
 * A move that was interrupted is repeated: what is copied stays copied.
 */
import {
  HoldpointError,
  tenantRowsOf,
  type FileStore,
  type MovableStore,
  type Ports,
  type Store,
  type StoredBytes,
} from '@holdpoint/core'
import { copyLog, moveLog } from '@holdpoint/spaces'
import { setTimeout as sleep } from 'node:timers/promises'
import { REMEMBER_MS, type Directory, type Place } from './directory.ts'

export interface MovedTenant {
  readonly logs: number
  readonly documents: number
  /** How long messages and answers waited. */
  readonly pausedMs: number
}

export interface MoveOptions {
  /** How long to wait for drivers to finish their work. Then calls that still run are in doubt, as after a crash. Default: 60 s. */
  readonly graceMs?: number
}

type Copying = Pick<Ports, 'id' | 'now'>

/** Logs that are copied at the same time. */
const LANES = 32
const PAGE = 500
const POLL_MS = 100

export async function moveTenant(
  cells: ReadonlyMap<string, Store>,
  directory: Directory,
  { tenant, to, graceMs = 60_000 }: MoveOptions & { readonly tenant: string; readonly to: string },
  ports: Copying,
): Promise<MovedTenant> {
  const target = movable(cells, to)
  if (tenant === '') throw new HoldpointError('config-invalid', 'What belongs to no tenant stays in the home cell.')
  directory.forget(tenant)
  const now = await directory.placeToWrite(tenant)
  const { cell } = now
  // What the other cell has is not left over: it is the copy that the move goes on with.
  if (cell === to && now.to !== undefined) throw busy(tenant, now)
  if (cell === to) return { ...(await collect(cells, to, target, tenant, ports)), pausedMs: 0 }
  const source = movable(cells, cell)
  await eachLog(source, tenant, (id) => copyLog(source, target, { tenant, id }, ports))

  const since = performance.now()
  await directory.change(tenant, (place) => {
    if (place.cell !== cell || (place.to !== undefined && place.to !== to)) throw busy(tenant, place)
    return { ...place, to }
  })
  await sleep(2 * REMEMBER_MS)
  const until = performance.now() + graceMs
  for (;;) {
    const running = await eachLog(source, tenant, async (id, status) => {
      if (status === 'running' && performance.now() < until) return true
      await moveLog(source, target, { tenant, id }, ports)
      return undefined
    })
    if (running.length === 0) break
    await sleep(POLL_MS)
  }
  await copyFiles(source, target, tenant)
  const documents = await copyDocuments(source, target, tenant, ports)
  await directory.change(tenant, ({ moves }) => ({ cell: to, moves: moves + 1 }))
  const pausedMs = performance.now() - since
  await sleep(2 * REMEMBER_MS)
  const { logs } = await collect(cells, to, target, tenant, ports)
  return { logs, documents, pausedMs }
}

/** Step 5, in every other cell. */
async function collect(
  cells: ReadonlyMap<string, Store>,
  to: string,
  target: MovableStore,
  tenant: string,
  ports: Copying,
): Promise<{ readonly logs: number; readonly documents: number }> {
  for (const name of cells.keys()) {
    if (name === to) continue
    const store = movable(cells, name)
    await eachLog(store, tenant, (id) => moveLog(store, target, { tenant, id }, ports))
    await eachFile(store, tenant, ({ id }, files) => files.remove(tenant, id))
    await store.tenantRows.forget(tenant)
  }
  const logs = await eachLog(target, tenant, async () => true)
  return { logs: logs.length, documents: 0 }
}

async function copyDocuments(from: MovableStore, to: Store, tenant: string, ports: Copying): Promise<number> {
  let copied = 0
  for (const kind of await from.tenantRows.kinds(tenant)) {
    for (let after: string | undefined; ;) {
      const page = await from.documents({ tenant, kind, limit: PAGE, ...(after !== undefined && { after }) })
      for (const { id, data, until } of page.items) {
        const ttl = until === undefined ? {} : { ttlMs: Math.max(1, until - ports.now()) }
        await to.put({ tenant, kind, id, data, ...ttl })
        copied++
      }
      if (page.next === undefined) break
      after = page.next
    }
  }
  return copied
}

/** Before the documents, which name them. A file never changes, so one that is there is not copied again. */
async function copyFiles(from: Store, to: Store, tenant: string): Promise<void> {
  const there = new Set<string>()
  await eachFile(to, tenant, async ({ id }) => void there.add(id))
  await eachFile(from, tenant, async ({ id }, files) => {
    const document = await from.get(tenant, 'file', id)
    if (!document || there.has(id)) return
    const { sha256 } = document.data as { readonly sha256: string }
    await to.files?.().write(tenant, id, files.read(tenant, id, sha256))
  })
}

async function eachFile(
  store: Store,
  tenant: string,
  work: (file: StoredBytes, files: FileStore) => Promise<void>,
): Promise<void> {
  const files = store.files?.()
  if (!files) return
  const found: StoredBytes[] = []
  for (let after: string | undefined; ;) {
    const page = await files.walk({ tenant, limit: PAGE, ...(after !== undefined && { after }) })
    found.push(...page.items)
    if (page.next === undefined) break
    after = page.next
  }
  for (const file of found) await work(file, files)
}

/** Returns what `work` returned for each log, without undefined. */
async function eachLog<T>(
  store: MovableStore,
  tenant: string,
  work: (id: string, status: 'running' | 'held' | 'idle') => Promise<T | undefined>,
): Promise<T[]> {
  const results: T[] = []
  for (let after: string | undefined; ;) {
    const { items, next } = await store.tenantRows.logs(tenant, { limit: PAGE, ...(after !== undefined && { after }) })
    const waiting = items.values()
    const lane = async (): Promise<void> => {
      for (const { id, status } of waiting) {
        const result = await work(id, status)
        if (result !== undefined) results.push(result)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    if (next === undefined) return results
    after = next
  }
}

function movable(cells: ReadonlyMap<string, Store>, name: string): MovableStore {
  const store = cells.get(name)
  if (!store) throw new HoldpointError('config-invalid', `There is no cell "${name}".`)
  if (!tenantRowsOf(store))
    throw new HoldpointError(
      'config-invalid',
      `Tenants of the cell "${name}" cannot be moved: it is neither SQLite nor PostgreSQL.`,
    )
  return store as MovableStore
}

function busy(tenant: string, { cell, to }: Place): HoldpointError {
  const where = to === undefined ? `is in "${cell}" by now` : `is being moved to "${to}"`
  return new HoldpointError('config-invalid', `The tenant "${tenant}" ${where}.`)
}
