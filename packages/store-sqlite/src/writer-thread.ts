/**
 * The thread that writes. It takes whatever has arrived while it was busy, commits it together, and answers it together.
 * It imports nothing but what Node brings: it is started from the sources as well as from the build.
 */
import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { Changes } from './changes.ts'
import { connectionOn, type Around, type Connection } from './connection.ts'
import { groupCommit } from './group-commit.ts'
import { Line, MANY_CORES } from './line.ts'
import { NodeLocks } from './node-locks.ts'
import { openFile } from './open-file.ts'
import { unpack } from './packed-append.ts'
import { Rest } from './rest.ts'
import { whyOf } from './sqlite-error.ts'
import type { Answer, DueOp, FromThread, Opening, Op, Setup, ToThread, WriteOp } from './wire.ts'

/** More than this are committed in several goes, so that the first need not wait for the last. */
const MOST = 512
const OTHERS: ReadonlySet<string> = new Set<Exclude<Op, WriteOp>['op']>(['due', 'listen', 'unlisten', 'close'])
/** How often to look for what other processes wrote, while somebody wants to know. */
const LOOK_MS = 50
/** The time in which who was answered asks again, if there was nothing else to do but what follows from the answer. */
const SOON_MS = 2

class WriterThread {
  /** Where it really is. */
  readonly file: string
  readonly #line: Line<string, ToThread>
  readonly #path: string
  readonly #around: Around
  #connection: Connection | undefined
  #looking: NodeJS.Timeout | undefined
  readonly #rest = new Rest()
  /** When it had nothing left to do. */
  #idleAt = 0

  constructor({ line, path, waitMs, nodes, listening }: Setup) {
    const db = openFile(path, waitMs)
    const file = db.location() ?? path
    this.file = file
    this.#path = path
    this.#around = { file, ino: statSync(file).ino, waitMs, locks: new NodeLocks(file), changes: new Changes() }
    this.#connection = connectionOn(db, this.#around)
    // One that cannot be taken again now is taken with the next beat.
    for (const node of nodes) quietly(() => this.#around.locks.hold(node))
    if (listening) this.#listen()
    this.#line = new Line(line, (given) => this.#work(given.map(opOf)))
  }

  get(): Connection {
    this.#connection ??= connectionOn(openFile(this.#path, this.#around.waitMs), this.#around)
    return this.#connection
  }

  drop(): void {
    const connection = this.#connection
    this.#connection = undefined
    // Given up, whatever it says.
    quietly(() => connection?.close())
  }

  #work(first: readonly Op[]): void {
    if (performance.now() - this.#idleAt < SOON_MS) this.#rest.cameSoon()
    for (let ops: readonly Op[] | undefined = first; ops; ops = this.#next()) this.#commitAll(ops)
  }

  /**
   * Waking a thread takes about as long as a fast disk does. So while operations come one right after the other, it
   * stays awake for the next one.
   */
  #next(): readonly Op[] | undefined {
    const began = performance.now()
    this.#idleAt = began
    if (!MANY_CORES || !this.#rest.isOver(began)) return undefined
    let now = began
    for (; now - began < SOON_MS; now = performance.now()) {
      const next = this.#line.takeSoon()
      if (next) {
        this.#rest.shorten()
        return next.map(opOf)
      }
    }
    this.#rest.begin(now)
    return undefined
  }

  #commitAll(first: readonly Op[]): void {
    let ops = first
    for (let more = this.#line.take(); more; more = this.#line.take()) ops = [...ops, ...more.map(opOf)]
    for (let at = 0; at < ops.length; at += MOST) {
      this.#tell({ tell: 'answers', answers: this.#answer(ops.slice(at, at + MOST)) })
    }
    this.#tellChanges()
    if (ops.at(-1)?.op === 'close') this.#line.close()
  }

  /** In order: what is not a write stands between the transactions of those before and after it. */
  #answer(ops: readonly Op[]): readonly Answer[] {
    const answers: Answer[] = []
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

  #other(op: Exclude<Op, WriteOp>): Answer {
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
      return { result: 'failed', why: whyOf(error) }
    }
  }

  #due(op: DueOp): Answer {
    const answer = this.get().due(op)
    const gone = this.get().gone(op.now)
    const forget = gone.map((node): WriteOp => ({ op: 'forget', node, now: op.now }))
    // If it fails, whoever comes next tries again.
    if (forget.length > 0) groupCommit(this, forget)
    return answer
  }

  #listen(after?: number): void {
    this.get()
    this.#around.changes.listen(after)
    this.#looking ??= setInterval(() => {
      // What a failure hides is found in the next round, or by who asks for heads.
      quietly(() => this.get() && this.#around.changes.look())
      this.#tellChanges()
    }, LOOK_MS)
  }

  #unlisten(): void {
    clearInterval(this.#looking)
    this.#looking = undefined
    this.#around.changes.stop()
  }

  #close(): void {
    this.#unlisten()
    this.#around.locks.close()
    // The log file is read on the next opening otherwise.
    quietly(() => this.#connection?.checkpoint())
    this.drop()
  }

  #tellChanges(): void {
    const changes = this.#around.changes.take()
    if (changes.length > 0) this.#tell({ tell: 'changes', changes })
  }

  #tell(message: FromThread): void {
    this.#line.say(JSON.stringify(message))
  }
}

function opOf(given: ToThread[number]): Op {
  return 'op' in given ? given : unpack(given)
}

function isWrite(op: Op): op is WriteOp {
  return !OTHERS.has(op.op)
}

/** For what is done as well as it can be; why that is enough is said where it is called. */
function quietly(attempt: () => unknown): void {
  try {
    attempt()
  } catch {
    // Nothing to do about it.
  }
}

if (parentPort) {
  try {
    const { file } = new WriterThread(workerData as Setup)
    parentPort.postMessage({ tell: 'ready', file } satisfies Opening)
  } catch (error) {
    parentPort.postMessage({ tell: 'refused', why: whyOf(error), cause: error } satisfies Opening)
    ;(workerData as Setup).line.port.close()
  }
}
