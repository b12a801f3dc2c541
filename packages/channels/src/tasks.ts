/**
 * Durable work to do outside of the store: show a message, post a webhook. A task is a document, so it survives a kill.
 *
 * | claim                    | meaning                                                                    |
 * |---|---|
 * | none, or `until` passed  | due at `dueAt`; the first process that claims it does it                    |
 * | `until` in the future    | a process is at work; when it is killed, another takes the task after that  |
 *
 * Invariants:
 * 1. Two processes do not work on a task at once: a claim is a compare-and-set, and work ends before its claim does.
 * 2. A task that is added again while it is done is done once more, because what it is about has changed.
 * 3. Tasks of a group that hang or fail do not delay those of another group.
 */
import { messageOf, type Document } from '@holdpoint/core'
import type { Json, Ports, Store } from 'holdpoint'

export interface Task {
  /** Adding a task with the same id again makes it due now. */
  readonly id: string
  /** A channel or a webhook: the limit of parallel work is per group. */
  readonly group: string
  readonly what: Json
}

export type TaskResult =
  | { readonly done: true }
  /** Do it at this time; it has not failed. */
  | { readonly at: number }
  /** It failed. */
  | { readonly failed: unknown }
  /** It failed, and no retry can help. */
  | { readonly refused: unknown }

export interface TaskWorker {
  work(task: Task & { readonly attempts: number }, signal: AbortSignal): Promise<TaskResult>
  /** How long to wait after so many failures; undefined: never again. */
  retryAfter(task: Task, failures: number): number | undefined
  problem(error: unknown): void
}

export interface KnownTask extends Task {
  readonly attempts: number
  readonly dueAt: number
  /** Of the last attempt, when that failed. */
  readonly error?: string
}

interface Row extends KnownTask {
  readonly claimedUntil: number
}

const TENANT = ''
const TASK = 'channels.task'
/** Tasks that were given up. */
const FAILED = 'channels.failed-task'
const FAILED_MS = 30 * 86_400_000
const MOST_ERROR = 500
const PAGE = 200
/** Work is aborted after this time, and its claim ends some time later. */
const WORK_MS = 30_000
const CLAIM_MS = 60_000
const AT_ONCE = 8
const STORE_RETRY_MS = 1000

export class Tasks {
  readonly #store: Store
  readonly #ports: Pick<Ports, 'now' | 'sleep'>
  readonly #worker: TaskWorker
  readonly #known = new Map<string, { readonly version: number; readonly row: Row }>()
  readonly #working = new Map<string, Promise<void>>()
  readonly #busy = new Map<string, number>()
  readonly #stop = new AbortController()
  readonly #changed: () => void

  /** `changed` is called when work ended: the caller then calls `begin` again. */
  constructor(store: Store, ports: Pick<Ports, 'now' | 'sleep'>, worker: TaskWorker, changed: () => void) {
    this.#store = store
    this.#ports = ports
    this.#worker = worker
    this.#changed = changed
  }

  /** Durable when it resolves. */
  async add(task: Task, dueAt: number = this.#ports.now()): Promise<void> {
    for (;;) {
      const doc = await this.#store.get(TENANT, TASK, task.id)
      // The claim stays: the process that has it learns of the change when it is done.
      const claimedUntil = doc ? rowOf(doc).claimedUntil : 0
      const row: Row = { id: task.id, group: task.group, what: task.what, attempts: 0, dueAt, claimedUntil }
      if ((await this.#put(row, doc?.version ?? 0)) !== undefined) return
    }
  }

  /** A page of tasks, or of those that were given up. */
  async list({
    failed,
    prefix,
    after,
    limit,
  }: {
    readonly failed: boolean
    readonly prefix: string
    readonly after: string | undefined
    readonly limit: number
  }): Promise<{ readonly items: readonly KnownTask[]; readonly next: string | undefined }> {
    const query = { tenant: TENANT, kind: failed ? FAILED : TASK, prefix, limit, ...(after !== undefined && { after }) }
    const { items, next } = await this.#store.documents(query)
    return { items: items.map(rowOf), next }
  }

  async find(id: string): Promise<KnownTask | undefined> {
    const doc = await this.#store.get(TENANT, TASK, id)
    return doc && rowOf(doc)
  }

  /** Makes a task due now, also one that was given up. False when there is none. */
  async again(id: string): Promise<boolean> {
    const known = (await this.#store.get(TENANT, TASK, id)) ?? (await this.#store.get(TENANT, FAILED, id))
    if (!known) return false
    const { group, what } = rowOf(known)
    await this.add({ id, group, what })
    await this.#store.put({ tenant: TENANT, kind: FAILED, id, data: undefined })
    this.#changed()
    return true
  }

  /** Reads the tasks of all processes. */
  async refresh(): Promise<void> {
    // A page may be older than what was written while it was read: what is known of such a task stays.
    const before = new Map(this.#known)
    const hasChanged = (id: string): boolean => this.#working.has(id) || this.#known.get(id) !== before.get(id)
    const seen = new Set<string>()
    let after: string | undefined
    do {
      const query = { tenant: TENANT, kind: TASK, limit: PAGE, ...(after !== undefined && { after }) }
      const { items, next } = await this.#store.documents(query)
      for (const doc of items) {
        seen.add(doc.id)
        if (!hasChanged(doc.id)) this.#known.set(doc.id, { version: doc.version, row: rowOf(doc) })
      }
      after = next
    } while (after !== undefined)
    for (const id of this.#known.keys()) if (!seen.has(id) && !hasChanged(id)) this.#known.delete(id)
  }

  /** The tasks of all processes, as this one read them last. */
  known(): readonly (Task & { readonly attempts: number })[] {
    return [...this.#known.values()].map(({ row }) => row)
  }

  /** Begins the tasks that are due. Returns when the next one is, or undefined. */
  begin(): number | undefined {
    const now = this.#ports.now()
    let next: number | undefined
    for (const [id, { row, version }] of this.#known) {
      if (this.#working.has(id) || this.#stop.signal.aborted) continue
      const at = Math.max(row.dueAt, row.claimedUntil)
      if (at > now) next = Math.min(next ?? Infinity, at)
      else if ((this.#busy.get(row.group) ?? 0) < AT_ONCE) this.#run(row, version)
    }
    return next
  }

  /** Aborts work under way, which another process then does. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#working.values())
  }

  #run(row: Row, version: number): void {
    const { id, group } = row
    this.#busy.set(group, (this.#busy.get(group) ?? 0) + 1)
    const ended = this.#claimAndWork(row, version)
      .catch((error: unknown) => {
        this.#postpone(id)
        this.#worker.problem(error)
      })
      .finally(() => {
        this.#working.delete(id)
        this.#busy.set(group, (this.#busy.get(group) ?? 1) - 1)
        this.#changed()
      })
    this.#working.set(id, ended)
  }

  async #claimAndWork(row: Row, version: number): Promise<void> {
    const claimed: Row = { ...row, claimedUntil: this.#ports.now() + CLAIM_MS }
    const mine = await this.#put(claimed, version)
    if (mine === undefined) return this.#forget(row.id)
    const result = await this.#workInTime(row)
    if ('done' in result) return this.#end(claimed, mine, undefined)
    // Another process need not wait until the claim ends.
    if (this.#stop.signal.aborted) return this.#end(claimed, mine, { ...row, claimedUntil: 0 })
    const { error: _error, ...fine } = row
    if ('at' in result) return this.#end(claimed, mine, { ...fine, attempts: 0, dueAt: result.at, claimedUntil: 0 })
    const attempts = row.attempts + 1
    const why = 'failed' in result ? result.failed : result.refused
    const wait = 'failed' in result ? this.#worker.retryAfter(row, attempts) : undefined
    this.#worker.problem(why)
    const error = messageOf(why).slice(0, MOST_ERROR)
    const failed: Row = { ...row, attempts, error, claimedUntil: 0 }
    if (wait !== undefined) return this.#end(claimed, mine, { ...failed, dueAt: this.#ports.now() + wait })
    const data = failed as unknown as Json
    await this.#store.put({ tenant: TENANT, kind: FAILED, id: row.id, data, ttlMs: FAILED_MS })
    return this.#end(claimed, mine, undefined)
  }

  async #workInTime(row: Row): Promise<TaskResult> {
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, this.#stop.signal])
    const late = this.#ports.sleep(WORK_MS, signal, 'background').then((): TaskResult => {
      return { failed: new Error(`There was no result after ${WORK_MS / 1000} s.`) }
    })
    const work = this.#worker.work({ ...row }, signal).catch((error: unknown): TaskResult => ({ failed: error }))
    try {
      return await Promise.race([work, late])
    } finally {
      over.abort()
    }
  }

  /** Removes the task, or writes when it is due again. A task that was added again meanwhile is due at once. */
  async #end(claimed: Row, version: number, again: Row | undefined): Promise<void> {
    if (again) {
      if ((await this.#put(again, version)) !== undefined) return
    } else {
      const removed = await this.#store.put({
        tenant: TENANT,
        kind: TASK,
        id: claimed.id,
        expected: version,
        data: undefined,
      })
      if (removed.result === 'ok') return void this.#known.delete(claimed.id)
    }
    for (;;) {
      const doc = await this.#store.get(TENANT, TASK, claimed.id)
      if (!doc) return void this.#known.delete(claimed.id)
      if ((await this.#put({ ...rowOf(doc), claimedUntil: 0 }, doc.version)) !== undefined) return
    }
  }

  /** Asking a store that fails again at once would be a loop without a wait. */
  #postpone(id: string): void {
    const known = this.#known.get(id)
    if (!known) return
    const dueAt = Math.max(known.row.dueAt, this.#ports.now() + STORE_RETRY_MS)
    this.#known.set(id, { ...known, row: { ...known.row, dueAt } })
  }

  /** Another process was first, so what is known of the task is old. */
  async #forget(id: string): Promise<void> {
    const doc = await this.#store.get(TENANT, TASK, id)
    if (doc) this.#known.set(id, { version: doc.version, row: rowOf(doc) })
    else this.#known.delete(id)
  }

  /** The new version, or undefined when the document has changed since `expected`. */
  async #put(row: Row, expected: number): Promise<number | undefined> {
    const data = row as unknown as Json
    const written = await this.#store.put({ tenant: TENANT, kind: TASK, id: row.id, expected, data })
    if (written.result !== 'ok') return undefined
    this.#known.set(row.id, { version: written.version, row })
    return written.version
  }
}

function rowOf({ data }: Document): Row {
  return data as unknown as Row
}
