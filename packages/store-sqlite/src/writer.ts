/**
 * The main thread's end of the writer. What is asked within one tick goes over in one message; what is in flight keeps
 * the process alive, an idle writer does not. A thread that crashes is replaced at once: what it had been given and not
 * answered may or may not be written.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { whyOf } from './sqlite-error.ts'
import type { Answer, Change, FromThread, Op, Setup } from './wire.ts'

/** So many operations are worth a commit of their own. */
const ENOUGH = 8

/** Why a thread that was to open the file did not. */
export interface Refused {
  readonly why: string
  readonly cause: unknown
}

export class Writer {
  readonly #setup: () => Setup
  readonly #changed: (changes: readonly Change[]) => void
  #thread: Worker | undefined
  /** In the order they were asked; the last ones are not sent yet. */
  #waiting: ((answer: Answer) => void)[] = []
  #unsent: Op[] = []
  #closing: Promise<void> | undefined

  /** `setup` is asked for every thread that is started. */
  constructor(setup: () => Setup, changed: (changes: readonly Change[]) => void) {
    this.#setup = setup
    this.#changed = changed
  }

  get closing(): boolean {
    return this.#closing !== undefined
  }

  /** Resolves to where the file is, once it is open. */
  start(): Promise<string | Refused> {
    return new Promise((opened) => {
      let ready = false
      let end: Refused = { why: 'the thread that writes ended', cause: undefined }
      const gone = (): void => {
        this.#thread = undefined
        const lost = this.#waiting.splice(0, this.#waiting.length - this.#unsent.length)
        // One that never was ready wrote nothing.
        for (const answer of lost) answer({ result: ready ? 'unknown' : 'failed', why: end.why })
        if (ready && !this.closing) void this.start()
        opened(end)
      }
      const crashed = (cause: unknown): void => {
        end = { why: `the thread that writes crashed: ${whyOf(cause)}`, cause }
      }
      let thread: Worker
      try {
        thread = spawn(this.#setup())
      } catch (cause) {
        crashed(cause)
        return gone()
      }
      this.#thread = thread
      thread.on('error', crashed)
      thread.on('exit', gone)
      thread.on('message', (message: FromThread) => {
        switch (message.tell) {
          case 'ready':
            ready = true
            if (this.#waiting.length === 0) thread.unref()
            return opened(message.file)
          case 'refused':
            end = message
            return
          case 'answers':
            return this.#answered(message.answers)
          case 'changes':
            return this.#changed(message.changes)
        }
      })
    })
  }

  ask(op: Op): Promise<Answer> {
    return new Promise((answer) => {
      this.#waiting.push(answer)
      // After all that is to run in this tick, promises included; but where much is asked, the thread begins meanwhile.
      const unsent = this.#unsent.push(op)
      if (unsent === 1) process.nextTick(() => this.#send())
      if (unsent === ENOUGH) this.#send()
    })
  }

  /** After everything that was asked before. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  #send(): void {
    const ops = this.#unsent
    if (ops.length === 0) return
    this.#unsent = []
    if (!this.#thread) void this.start()
    this.#thread?.ref()
    this.#thread?.postMessage(ops)
  }

  #answered(answers: readonly Answer[]): void {
    const asked = this.#waiting.splice(0, answers.length)
    if (this.#waiting.length === 0) this.#thread?.unref()
    for (const [index, answer] of answers.entries()) asked[index]?.(answer)
  }

  async #end(): Promise<void> {
    if (!this.#thread && this.#unsent.length === 0) return
    await this.ask({ op: 'close' })
    const thread = this.#thread
    if (!thread) return
    thread.ref()
    await new Promise((ended) => thread.once('exit', ended))
  }
}

function spawn(setup: Setup): Worker {
  const file = new URL('./writer-thread.ts', import.meta.url)
  // What is shipped is `.js`, as this file is then; the compiler renames imports only.
  file.pathname = file.pathname.replace(/\.ts$/, extname(import.meta.url))
  // No flags of the process: it may have been started with some that a thread refuses, and this one needs none.
  return new Worker(file, { workerData: setup, execArgv: [], name: 'holdpoint-sqlite' })
}
