/**
 * The main thread's side of the writer. Operations of one tick are sent in one message. Operations in flight keep the
 * process alive; an idle writer does not. A thread that crashes is replaced at once. Operations that it had received but
 * not answered may or may not be written.
 */
import { extname } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { packAppend } from './packed-append.ts'
import { sqliteErrorMessage } from './sqlite-error.ts'
import type { OpResult, Change, MessagesFromWriter, Op, Opening, Setup, MessagesToWriter } from './writer-messages.ts'

/** With so many operations, send at once: the thread starts a commit while the rest of the tick runs. */
const SEND_AT = 10

/** A thread, and the port that carries operations and answers. */
interface WriterWorker {
  readonly thread: Worker
  readonly port: MessagePort
}

/** Why a thread could not open the file. */
export interface OpenFailure {
  readonly why: string
  readonly cause: unknown
}

export class Writer {
  readonly #setup: () => Omit<Setup, 'port'>
  readonly #changed: (changes: readonly Change[]) => void
  #writer: WriterWorker | undefined
  /** In the order of the operations. The last `#unsent.length` of them are not sent yet. */
  #waiting: ((answer: OpResult) => void)[] = []
  #unsent: MessagesToWriter[number][] = []
  #closing: Promise<void> | undefined

  /** `setup` is called for every thread that is started. */
  constructor(setup: () => Omit<Setup, 'port'>, changed: (changes: readonly Change[]) => void) {
    this.#setup = setup
    this.#changed = changed
  }

  get closing(): boolean {
    return this.#closing !== undefined
  }

  /** Resolves to the real path of the file once it is open. */
  start(): Promise<string | OpenFailure> {
    return new Promise((opened) => {
      let ready = false
      let end: OpenFailure = { why: 'the writer thread ended', cause: undefined }
      const gone = (): void => {
        // The exit event may come before the thread's last messages.
        const port = this.#writer?.port
        if (port)
          for (let last = receiveMessageOnPort(port); last; last = receiveMessageOnPort(port))
            this.#receive(last.message as string)
        port?.close()
        this.#writer = undefined
        const lost = this.#waiting.splice(0, this.#waiting.length - this.#unsent.length)
        // A thread that was never ready has written nothing.
        for (const answer of lost) answer({ result: ready ? 'unknown' : 'failed', why: end.why })
        if (ready && !this.closing) void this.start()
        opened(end)
      }
      const crashed = (cause: unknown): void => {
        end = { why: `the writer thread crashed: ${sqliteErrorMessage(cause)}`, cause }
      }
      let writer: WriterWorker
      try {
        writer = spawn(this.#setup(), (message) => this.#receive(message))
      } catch (cause) {
        crashed(cause)
        return gone()
      }
      this.#writer = writer
      const { thread, port } = writer
      thread.on('error', crashed)
      thread.on('exit', gone)
      thread.on('message', (message: Opening) => {
        // `node --watch` sends messages of its own from each thread.
        if (message.type !== 'ready' && message.type !== 'refused') return
        if (message.type === 'refused') {
          end = message
          return
        }
        ready = true
        if (this.#waiting.length === 0) thread.unref()
        opened(message.file)
      })
      port.unref()
    })
  }

  ask(op: Op): Promise<OpResult> {
    return new Promise((answer) => {
      if (this.#waiting.push(answer) === 1) this.#writer?.thread.ref()
      // Sent at the end of the tick, after its promises, or earlier if there are many.
      const unsent = this.#unsent.push(op.op === 'append' ? packAppend(op) : op)
      if (unsent === 1) process.nextTick(() => this.#send())
      if (unsent === SEND_AT) this.#send()
    })
  }

  /** Closes after all earlier operations. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  #send(): void {
    const ops = this.#unsent
    if (ops.length === 0) return
    this.#unsent = []
    if (!this.#writer) void this.start()
    this.#writer?.port.postMessage(ops satisfies MessagesToWriter)
  }

  #receive(json: string): void {
    const message = JSON.parse(json) as MessagesFromWriter
    switch (message.type) {
      case 'answers':
        return this.#answered(message.answers)
      case 'changes':
        return this.#changed(message.changes)
    }
  }

  #answered(answers: readonly OpResult[]): void {
    const asked = this.#waiting.splice(0, answers.length)
    if (this.#waiting.length === 0) this.#writer?.thread.unref()
    for (const [index, answer] of answers.entries()) asked[index]?.(answer)
  }

  async #end(): Promise<void> {
    if (!this.#writer && this.#unsent.length === 0) return
    await this.ask({ op: 'close' })
    const { thread } = this.#writer ?? {}
    if (!thread) return
    thread.ref()
    await new Promise((ended) => thread.once('exit', ended))
  }
}

function spawn(setup: Omit<Setup, 'port'>, receive: (message: string) => void): WriterWorker {
  const file = new URL('./writer-thread.ts', import.meta.url)
  // The published file is `.js`. The compiler renames imports only, so the extension is taken from this file.
  file.pathname = file.pathname.replace(/\.ts$/, extname(import.meta.url))
  // The process may have flags that a thread refuses, so the thread gets none.
  const { port1: ours, port2: theirs } = new MessageChannel()
  const workerData: Setup = { ...setup, port: theirs }
  const options = { workerData, transferList: [theirs], execArgv: [], name: 'holdpoint-sqlite' }
  const thread = new Worker(file, options)
  ours.on('message', receive)
  return { thread, port: ours }
}
