/**
 * The store in one SQLite file. One thread writes, and commits waiting operations together. Reads happen on the main thread.
 * See migrations/0001-schema.ts for the tables, and node-locks.ts for when a node counts as alive.
 */
import { resolve } from 'node:path'
import { HoldpointError, type Address, type MovableStore, type RepairableStore, type Store } from '@holdpoint/core'
import { toAppended, toAppendOp } from './append-op.ts'
import { checkNode } from './check-node.ts'
import { openDocuments } from './open-documents.ts'
import { fromColumn, toColumn } from './column-name.ts'
import { openLogRepair } from './log-repair.ts'
import { openNotes } from './open-notes.ts'
import { filesFolder, folderFiles } from './folder-files.ts'
import { exposureProblem } from './open-file.ts'
import { Pages } from './pages.ts'
import { Reader } from './reader.ts'
import { isDamaged, sqliteErrorMessage } from './sqlite-error.ts'
import type { OpResult, Change, ConversationKey, Op } from './writer-messages.ts'
import { openTenantRows } from './tenant-rows.ts'
import { Writer } from './writer.ts'

checkNode()

export interface SqliteStoreOptions {
  /** The clock of leases and deadlines, for tests. Default: `Date.now`. */
  readonly now?: () => number
  /** How long a write waits for another process's write lock. Default: 5000 ms. */
  readonly busyTimeoutMs?: number
}

type Listener = Parameters<Store['listen']>[0]
type LogReads = Pick<
  Store,
  'load' | 'follow' | 'batches' | 'inspect' | 'read' | 'readBack' | 'readCall' | 'findCall' | 'findKey' | 'heads'
>

/** Opens or creates the file. Refuses a file or setting with which an acknowledged write could be lost. */
export async function sqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const { now = Date.now, busyTimeoutMs: waitMs = 5000 } = options
  if (path === ':memory:' || path === '') {
    throw new HoldpointError(
      'store-unusable',
      'sqliteStore keeps conversations in a file, and needs the path of one. To keep them in memory, use memoryStore().',
    )
  }
  const nodes = new Set<string>()
  const listeners = new Set<Listener>()
  const notify = (changes: readonly Change[]): void => {
    for (const { tenant, id, seq, unowned } of changes)
      for (const listener of listeners) listener(toAddress({ tenant, id }), seq, unowned === 1)
  }
  // An absolute path stays valid if the process changes its working directory, and SQLite does not read it as a URL.
  const setup = { path: resolve(path), waitMs }
  const writer = new Writer(() => ({ ...setup, nodes: [...nodes], listening: listeners.size > 0 }), notify)
  const opened = await writer.start()
  if (typeof opened !== 'string') throw new HoldpointError('store-unusable', opened.why, { cause: opened.cause })
  const exposed = exposureProblem(opened)
  if (exposed !== undefined) process.emitWarning(exposed, 'HoldpointWarning')
  try {
    const parts = { writer, reader: new Reader(opened, waitMs), nodes, listeners, file: opened, waitMs }
    const store = storeOf(path, now, parts)
    const files = folderFiles(filesFolder(opened), now)
    return { ...store, files: () => files }
  } catch (error) {
    await writer.close()
    throw new HoldpointError('store-unusable', `Cannot read ${path}: ${sqliteErrorMessage(error)}.`, { cause: error })
  }
}

interface Parts {
  readonly writer: Writer
  readonly reader: Reader
  /** The nodes that send heartbeats through this store. */
  readonly nodes: Set<string>
  readonly listeners: Set<Listener>
  /** The real path of the file. */
  readonly file: string
  readonly waitMs: number
}

function storeOf(
  path: string,
  now: () => number,
  { writer, reader, nodes, listeners, ...place }: Parts,
): MovableStore & RepairableStore {
  const pages = new Pages(reader.db)
  const open = (): void => {
    if (writer.closing) throw new HoldpointError('store-unusable', `The store ${path} is closed.`)
  }
  const reading = readingOf(path, open)
  const asking = async <Result extends OpResult['result']>(
    op: Op,
    wanted: Result,
  ): Promise<Extract<OpResult, { result: Result }>> => {
    open()
    const answer = await writer.ask(op)
    if (answer.result === wanted) return answer as Extract<OpResult, { result: Result }>
    const why = 'why' in answer ? answer.why : `the writer thread answered "${answer.result}"`
    throw new HoldpointError('store-unavailable', `"${op.op}" failed on ${path}: ${why}.`)
  }

  return {
    append: async (write) => {
      if (writer.closing) return { result: 'failed', why: 'the store is closed' }
      const op = toAppendOp(write, now())
      if ('result' in op) return op
      const answer = await writer.ask(op)
      // In a later tick: an error of a listener must not reach the caller of `append`, whose promise resolves first.
      if (answer.result === 'ok' && listeners.size > 0) {
        const { unowned } = answer
        process.nextTick(() => listeners.forEach((listener) => listener(write.to, op.expectedSeq + op.count, unowned)))
      }
      return toAppended(write, op, answer)
    },
    ...logsOf(reader, reading),
    ...openNotes({ reader, now, reading, asking }),
    ...openDocuments({ db: reader.db, now, reading, asking }),
    pending: (query) => reading(() => pages.pending(query)),
    list: (query) => reading(() => pages.list(query)),
    walk: (query) => reading(() => pages.walk(query)),
    ...openTenantRows({ db: reader.db, ...place, reading }),
    logRepair: openLogRepair({ db: reader.db, ...place, now, reading }),

    beat: async (name, ttlMs) => {
      const [node, time] = [toColumn(name), now()]
      nodes.add(node)
      await asking({ op: 'beat', node, now: time, expiresAt: time + ttlMs }, 'done')
      return time
    },
    leave: async (name) => {
      nodes.delete(toColumn(name))
      await asking({ op: 'leave', node: toColumn(name) }, 'done')
    },
    due: async ({ agents, limit }) => {
      const op = { op: 'due', agents: agents?.map(toColumn) ?? null, limit, now: now() } as const
      const { conversations, next } = await asking(op, 'due')
      return { conversations: conversations.map(toAddress), next }
    },
    takeOver: async ({ tenant, id }, node) => {
      const place = { tenant: toColumn(tenant), id: toColumn(id) }
      return (await asking({ op: 'takeOver', ...place, node: toColumn(node), now: now() }, 'taken-over')).epoch
    },

    listen: (listener) => {
      open()
      listeners.add(listener)
      // A failure here is not lost: the next operation fails too, and reports it.
      if (listeners.size === 1) void writer.ask({ op: 'listen', after: reader.newest() })
      return () => {
        if (listeners.delete(listener) && listeners.size === 0 && !writer.closing) void writer.ask({ op: 'unlisten' })
      }
    },
    close: async () => {
      listeners.clear()
      const closed = writer.close()
      reader.close()
      await closed
    },
  }
}

/** What is read of logs. */
function logsOf(reader: Reader, reading: <T>(what: () => T) => Promise<T>): LogReads {
  return {
    load: (from) => reading(() => reader.load(from)),
    follow: (from, head) => reading(() => reader.follow(from, head)),
    batches: (from, after, limit) => reading(() => reader.batches(from, after, limit)),
    inspect: () => reading(() => reader.inspect()),
    read: (from, after, limit) => reading(() => reader.read(from, after, limit)),
    readBack: (from, before, limit) => reading(() => reader.readBack(from, before, limit)),
    readCall: (from, callId) => reading(() => reader.readCall(from, callId)),
    findCall: (tenant, callId) => reading(() => reader.findCall(tenant, callId)),
    findKey: (from, key) => reading(() => reader.findKey(from, key)),
    heads: (of) => reading(() => reader.heads(of)),
  }
}

/** Reads block the event loop. After so many of them, other work gets a turn. */
const READS_PER_TURN = 32

function readingOf(path: string, open: () => void): <T>(what: () => T) => Promise<T> {
  let reads = 0
  return async (what) => {
    open()
    if (++reads % READS_PER_TURN === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      open()
    }
    try {
      return what()
    } catch (error) {
      if (HoldpointError.is(error)) throw error
      const code = isDamaged(error) ? 'store-unusable' : 'store-unavailable'
      throw new HoldpointError(code, `Reading ${path} failed: ${sqliteErrorMessage(error)}.`, { cause: error })
    }
  }
}

function toAddress({ tenant, id }: ConversationKey): Address {
  return { tenant: fromColumn(tenant), id: fromColumn(id) }
}
