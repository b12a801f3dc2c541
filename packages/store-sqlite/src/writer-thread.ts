/**
 * The thread that writes. It takes all operations that arrived while it was busy, commits them together, and answers them
 * together. It imports only Node's own modules, because it is started from the sources as well as from the build.
 */
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { Changes } from './changes.ts'
import { createWriteConnection, type WriteConnection, type WriteContext } from './write-connection.ts'
import { FileWatch } from './file-watch.ts'
import { groupCommit } from './group-commit.ts'
import { NewestWrite } from './newest-write.ts'
import { NodeLocks } from './node-locks.ts'
import { openFile } from './open-file.ts'
import { unpackAppend } from './packed-append.ts'
import { sqliteErrorMessage } from './sqlite-error.ts'
import type {
  OpResult,
  DueOp,
  MessagesFromWriter,
  Opening,
  Op,
  Setup,
  MessagesToWriter,
  WriteOp,
} from './writer-messages.ts'

/** The most operations in one commit, so that the first answer does not wait for the last operation. */
const MAX_COMMIT = 512
const NOT_WRITES: ReadonlySet<string> = new Set<Exclude<Op, WriteOp>['op']>(['due', 'listen', 'unlisten', 'close'])
/** How often to poll for writes of other processes, while there is a listener. */
const POLL_MS = 50

class WriterThread {
  /** The real path of the file. */
  readonly file: string
  readonly #port: MessagePort
  readonly #path: string
  readonly #context: WriteContext
  #connection: WriteConnection | undefined
  #polling: NodeJS.Timeout | undefined

  constructor({ port, path, waitMs, nodes, listening }: Setup) {
    const db = openFile(path, waitMs)
    const file = db.location() ?? path
    this.file = file
    this.#path = path
    const own = { files: new FileWatch(file), newest: new NewestWrite(file), locks: new NodeLocks(file) }
    this.#context = { file, waitMs, changes: new Changes(), ...own }
    this.#checkNewest(db, own.newest)
    this.#connection = createWriteConnection(db, this.#context)
    // A lock file that cannot be removed now is removed when its lease has expired.
    ignoringErrors(() => this.#context.locks.cleanUpAll())
    // A lock that cannot be taken now is taken with the next heartbeat.
    for (const node of nodes) ignoringErrors(() => this.#context.locks.hold(node))
    if (listening) this.#listen()
    this.#port = port
    port.on('message', (given: MessagesToWriter) => this.#commitAll(given.map(opOf)))
  }

  /** The record first: another process may commit and write it meanwhile. */
  #checkNewest(db: DatabaseSync, record: NewestWrite): void {
    const recorded = record.read()
    const { pos } = db.prepare('select coalesce(max(pos), 0) as pos from batches').get() as { pos: number }
    try {
      record.check(recorded, pos)
    } catch (error) {
      db.close()
      throw error
    }
  }

  get(): WriteConnection {
    this.#connection ??= createWriteConnection(openFile(this.#path, this.#context.waitMs), this.#context)
    return this.#connection
  }

  drop(): void {
    const connection = this.#connection
    this.#connection = undefined
    ignoringErrors(() => connection?.close())
  }

  #commitAll(first: readonly Op[]): void {
    const ops = [...first]
    for (let more = receiveMessageOnPort(this.#port); more; more = receiveMessageOnPort(this.#port))
      ops.push(...(more.message as MessagesToWriter).map(opOf))
    for (let at = 0; at < ops.length; at += MAX_COMMIT) {
      this.#send({ type: 'answers', answers: this.#answer(ops.slice(at, at + MAX_COMMIT)) })
    }
    // Best effort: if it fails, the next writes try again.
    ignoringErrors(() => this.#connection?.scrub())
    this.#sendChanges()
    if (ops.at(-1)?.op === 'close') this.#port.close()
  }

  /** In order: an operation that is not a write runs between the commits before and after it. */
  #answer(ops: readonly Op[]): readonly OpResult[] {
    const answers: OpResult[] = []
    let writes: WriteOp[] = []
    const commit = (): void => {
      if (writes.length > 0) answers.push(...groupCommit(this, writes))
      writes = []
    }
    for (const op of ops) {
      if (isWrite(op)) {
        writes.push(op)
      } else {
        commit()
        answers.push(this.#other(op))
      }
    }
    commit()
    return answers
  }

  #other(op: Exclude<Op, WriteOp>): OpResult {
    try {
      switch (op.op) {
        case 'due':
          return this.#due(op)
        case 'listen':
          this.#listen(op.after)
          break
        case 'unlisten':
          this.#unlisten()
          break
        case 'close':
          this.#close()
      }
      return { result: 'done' }
    } catch (error) {
      return { result: 'failed', why: sqliteErrorMessage(error) }
    }
  }

  #due(op: DueOp): OpResult {
    const answer = this.get().due(op)
    const expired = this.get().expiredNodes(op.now)
    const forget = expired.map((node): WriteOp => ({ op: 'forget', node, now: op.now }))
    // If it fails, the next `due` tries again.
    if (forget.length > 0) groupCommit(this, forget)
    return answer
  }

  #listen(after?: number): void {
    this.get()
    this.#context.changes.listen(after)
    this.#polling ??= setInterval(() => {
      // If it fails, the next poll finds the changes, or a caller of `heads` does.
      ignoringErrors(() => this.get() && this.#context.changes.poll())
      this.#sendChanges()
    }, POLL_MS)
  }

  #unlisten(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
    this.#context.changes.stop()
  }

  #close(): void {
    this.#unlisten()
    this.#context.locks.close()
    // Otherwise the next open has to read the write-ahead log.
    ignoringErrors(() => this.#connection?.finish())
    this.drop()
    ignoringErrors(() => this.#context.newest.close())
  }

  #sendChanges(): void {
    const changes = this.#context.changes.take()
    if (changes.length > 0) this.#send({ type: 'changes', changes })
  }

  #send(message: MessagesFromWriter): void {
    this.#port.postMessage(JSON.stringify(message))
  }
}

function opOf(given: MessagesToWriter[number]): Op {
  return 'op' in given ? given : unpackAppend(given)
}

function isWrite(op: Op): op is WriteOp {
  return !NOT_WRITES.has(op.op)
}

/** For best-effort work. Each call says why a failure is harmless. */
function ignoringErrors(attempt: () => unknown): void {
  try {
    attempt()
  } catch {
    // See the caller.
  }
}

if (parentPort) {
  try {
    const { file } = new WriterThread(workerData as Setup)
    parentPort.postMessage({ type: 'ready', file } satisfies Opening)
  } catch (error) {
    parentPort.postMessage({ type: 'refused', why: sqliteErrorMessage(error), cause: error } satisfies Opening)
    ;(workerData as Setup).port.close()
  }
}
