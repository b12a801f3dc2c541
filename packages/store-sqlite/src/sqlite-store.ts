/**
 * The store in one SQLite file: everything that writes goes to one thread, which commits what waits together; everything
 * that only reads happens here. See schema.ts for what the file looks like, and node-locks.ts for who counts as alive.
 */
import { resolve } from 'node:path'
import { HoldpointError, type Address, type Store } from '@holdpoint/core'
import { toAppended, toOp } from './append-op.ts'
import { openDocuments } from './document-op.ts'
import { fromColumn, toColumn } from './names.ts'
import { openNotes } from './note-op.ts'
import { Pages } from './pages.ts'
import { Reader } from './reader.ts'
import { isDamaged, whyOf } from './sqlite-error.ts'
import type { Answer, Change, Op, Place } from './wire.ts'
import { Writer } from './writer.ts'

export interface SqliteStoreOptions {
  /** The clock of leases and deadlines: the machine's, unless a test wants to move it. */
  readonly now?: () => number
  /** How long a write waits while another process writes: 5000 ms. */
  readonly busyTimeoutMs?: number
}

type Changed = Parameters<Store['listen']>[0]

/** Opens the file, or makes it. Refuses a file or a setting under which something acknowledged could be lost. */
export async function sqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const { now = Date.now, busyTimeoutMs: waitMs = 5000 } = options
  if (path === ':memory:' || path === '') {
    throw new HoldpointError(
      'store-unusable',
      'sqliteStore keeps conversations in a file, and needs the path of one. To keep them in memory, use memoryStore().',
    )
  }
  const nodes = new Set<string>()
  const listeners = new Set<Changed>()
  const tell = (changes: readonly Change[]): void => {
    for (const { tenant, id, seq, left } of changes)
      for (const listener of listeners) listener(toAddress({ tenant, id }), seq, left === 1)
  }
  // As a full path: it stays the same file when the process changes its folder, and `file:` makes no URL of it.
  const setup = { path: resolve(path), waitMs }
  const writer = new Writer(() => ({ ...setup, nodes: [...nodes], listening: listeners.size > 0 }), tell)
  const opened = await writer.start()
  if (typeof opened !== 'string') throw new HoldpointError('store-unusable', opened.why, { cause: opened.cause })
  try {
    return storeOf(path, now, { writer, reader: new Reader(opened, waitMs), nodes, listeners })
  } catch (error) {
    await writer.close()
    throw new HoldpointError('store-unusable', `Cannot read ${path}: ${whyOf(error)}.`, { cause: error })
  }
}

interface Parts {
  readonly writer: Writer
  readonly reader: Reader
  /** Those that beat here. */
  readonly nodes: Set<string>
  readonly listeners: Set<Changed>
}

function storeOf(path: string, now: () => number, { writer, reader, nodes, listeners }: Parts): Store {
  const pages = new Pages(reader.db)
  const open = (): void => {
    if (writer.closing) throw new HoldpointError('store-unusable', `The store ${path} is closed.`)
  }
  const reading = readingOf(path, open)
  const asking = async <Result extends Answer['result']>(
    op: Op,
    wanted: Result,
  ): Promise<Extract<Answer, { result: Result }>> => {
    open()
    const answer = await writer.ask(op)
    if (answer.result === wanted) return answer as Extract<Answer, { result: Result }>
    const why = 'why' in answer ? answer.why : `the thread that writes answered "${answer.result}"`
    throw new HoldpointError('store-unavailable', `"${op.op}" failed on ${path}: ${why}.`)
  }

  return {
    append: async (write) => {
      if (writer.closing) return { result: 'failed', why: 'the store is closed' }
      const op = toOp(write, now())
      if ('result' in op) return op
      const answer = await writer.ask(op)
      // Not from here: what a listener throws is not the writer's affair, and the writer shall know of it first.
      if (answer.result === 'ok' && listeners.size > 0) {
        const { left } = answer
        process.nextTick(() => listeners.forEach((changed) => changed(write.to, op.expectedSeq + op.count, left)))
      }
      return toAppended(write, answer)
    },
    load: (from) => reading(() => reader.load(from)),
    read: (from, after, limit) => reading(() => reader.read(from, after, limit)),
    readBack: (from, before, limit) => reading(() => reader.readBack(from, before, limit)),
    readCall: (from, callId) => reading(() => reader.readCall(from, callId)),
    findKey: (from, key) => reading(() => reader.findKey(from, key)),
    heads: (of) => reading(() => reader.heads(of)),
    ...openNotes({ reader, now, reading, asking }),
    ...openDocuments({ db: reader.db, now, reading, asking }),
    pending: (query) => reading(() => pages.pending(query)),
    list: (query) => reading(() => pages.list(query)),

    beat: async (name, ttlMs) => {
      const [node, time] = [toColumn(name), now()]
      nodes.add(node)
      await asking({ op: 'beat', node, now: time, expiresAt: time + ttlMs }, 'done')
      return time
    },
    leave: async (name) => {
      const node = toColumn(name)
      nodes.delete(node)
      await asking({ op: 'leave', node }, 'done')
    },
    due: async ({ agents, limit }) => {
      const op = { op: 'due', agents: agents?.map(toColumn) ?? null, limit, now: now() } as const
      const { conversations, next } = await asking(op, 'due')
      return { conversations: conversations.map(toAddress), next }
    },
    claim: async ({ tenant, id }, node) => {
      const place = { tenant: toColumn(tenant), id: toColumn(id) }
      return (await asking({ op: 'claim', ...place, node: toColumn(node), now: now() }, 'claimed')).epoch
    },

    listen: (changed) => {
      open()
      listeners.add(changed)
      // Whatever fails here fails again, and is heard of, when something is asked.
      if (listeners.size === 1) void writer.ask({ op: 'listen', after: reader.newest() })
      return () => {
        if (listeners.delete(changed) && listeners.size === 0 && !writer.closing) void writer.ask({ op: 'unlisten' })
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

/** Reads keep this thread: after so many of them everybody else has a turn, however much somebody wants to read. */
const BREATH = 32

function readingOf(path: string, open: () => void): <T>(what: () => T) => Promise<T> {
  let reads = 0
  return async (what) => {
    open()
    if (++reads % BREATH === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      open()
    }
    try {
      return what()
    } catch (error) {
      if (HoldpointError.is(error)) throw error
      const code = isDamaged(error) ? 'store-unusable' : 'store-unavailable'
      throw new HoldpointError(code, `Reading ${path} failed: ${whyOf(error)}.`, { cause: error })
    }
  }
}

function toAddress({ tenant, id }: Place): Address {
  return { tenant: fromColumn(tenant), id: fromColumn(id) }
}
