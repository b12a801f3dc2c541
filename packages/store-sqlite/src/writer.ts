/**
 * The main thread's end of the writer. What is asked within one tick goes over in one message; what is in flight keeps
 * the process alive, an idle writer does not. A thread that crashes is replaced at once: what it had been given and not
 * answered may or may not be written.
 */
import { extname } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { pack } from './packed-append.ts'
import { whyOf } from './sqlite-error.ts'
import type { Answer, Change, FromThread, Op, Opening, Setup, ToThread } from './wire.ts'

/** So many operations are worth a commit of their own. */
const ENOUGH = 8

/** As long as a fast disk takes. */
const SOON_MS = 0.5
/** After an answer that did not come in that time, so many are not watched for, twice as many after the next; at most these. */
const MOST_UNWATCHED = 64

/** A thread, and the line to it. */
interface Hand {
  readonly thread: Worker
  readonly line: MessagePort
}

/** Why a thread that was to open the file did not. */
export interface Refused {
  readonly why: string
  readonly cause: unknown
}

export class Writer {
  readonly #setup: () => Omit<Setup, 'line'>
  readonly #changed: (changes: readonly Change[]) => void
  #hand: Hand | undefined
  /** In the order they were asked; the last ones are not sent yet. */
  #waiting: ((answer: Answer) => void)[] = []
  #unsent: ToThread[number][] = []
  #closing: Promise<void> | undefined
  #watching = false
  /** How many messages are sent before the answer to one is watched for again, and how many it was last time. */
  #unwatched = 0
  #penalty = 0

  /** `setup` is asked for every thread that is started. */
  constructor(setup: () => Omit<Setup, 'line'>, changed: (changes: readonly Change[]) => void) {
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
        // Its end may be heard of before its last words.
        for (let told = this.#told(); told !== undefined; told = this.#told()) this.#heard(told)
        this.#hand?.line.close()
        this.#hand = undefined
        const lost = this.#waiting.splice(0, this.#waiting.length - this.#unsent.length)
        // One that never was ready wrote nothing.
        for (const answer of lost) answer({ result: ready ? 'unknown' : 'failed', why: end.why })
        if (ready && !this.closing) void this.start()
        opened(end)
      }
      const crashed = (cause: unknown): void => {
        end = { why: `the thread that writes crashed: ${whyOf(cause)}`, cause }
      }
      let hand: Hand
      try {
        hand = spawn(this.#setup())
      } catch (cause) {
        crashed(cause)
        return gone()
      }
      this.#hand = hand
      const { thread, line } = hand
      thread.on('error', crashed)
      thread.on('exit', gone)
      thread.on('message', (message: Opening) => {
        if (message.tell === 'refused') {
          end = message
          return
        }
        ready = true
        if (this.#waiting.length === 0) thread.unref()
        opened(message.file)
      })
      line.on('message', (message: string) => this.#heard(message))
      line.unref()
    })
  }

  ask(op: Op): Promise<Answer> {
    return new Promise((answer) => {
      if (this.#waiting.push(answer) === 1) this.#hand?.thread.ref()
      // After all that is to run in this tick, promises included; but where much is asked, the thread begins meanwhile.
      const unsent = this.#unsent.push(op.op === 'append' ? pack(op) : op)
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
    if (!this.#hand) void this.start()
    this.#hand?.line.postMessage(ops)
    if (this.#unwatched > 0) this.#unwatched--
    else if (!this.#watching) this.#watch()
  }

  /**
   * To be woken takes this thread about half as long as a fast disk takes to sync. So for a moment it looks for the
   * answer between everything else it has to do. Where answers do not come that soon, because the disk is slow or there is
   * no processor to spare, it soon stops looking.
   */
  #watch(): void {
    this.#watching = true
    const until = performance.now() + SOON_MS
    const look = (): void => {
      const told = this.#told()
      if (told !== undefined) this.#heard(told)
      const late = performance.now() > until
      this.#watching = this.#waiting.length > 0 && !late
      if (this.#watching) setImmediate(look)
      else if (late) this.#unwatched = this.#penalty = Math.min(2 * this.#penalty + 1, MOST_UNWATCHED)
      else this.#penalty >>= 1
    }
    setImmediate(look)
  }

  #told(): string | undefined {
    return this.#hand && (receiveMessageOnPort(this.#hand.line)?.message as string | undefined)
  }

  #heard(json: string): void {
    const message = JSON.parse(json) as FromThread
    switch (message.tell) {
      case 'answers':
        return this.#answered(message.answers)
      case 'changes':
        return this.#changed(message.changes)
    }
  }

  #answered(answers: readonly Answer[]): void {
    const asked = this.#waiting.splice(0, answers.length)
    if (this.#waiting.length === 0) this.#hand?.thread.unref()
    for (const [index, answer] of answers.entries()) asked[index]?.(answer)
  }

  async #end(): Promise<void> {
    if (!this.#hand && this.#unsent.length === 0) return
    await this.ask({ op: 'close' })
    const { thread } = this.#hand ?? {}
    if (!thread) return
    thread.ref()
    await new Promise((ended) => thread.once('exit', ended))
  }
}

function spawn(setup: Omit<Setup, 'line'>): Hand {
  const file = new URL('./writer-thread.ts', import.meta.url)
  // What is shipped is `.js`, as this file is then; the compiler renames imports only.
  file.pathname = file.pathname.replace(/\.ts$/, extname(import.meta.url))
  // No flags of the process: it may have been started with some that a thread refuses, and this one needs none.
  const { port1, port2 } = new MessageChannel()
  const workerData: Setup = { ...setup, line: port2 }
  const options = { workerData, transferList: [port2], execArgv: [], name: 'holdpoint-sqlite' }
  return { thread: new Worker(file, options), line: port1 }
}
