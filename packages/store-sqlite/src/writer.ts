/**
 * The main thread's end of the writer. What is asked within one tick goes over in one message; what is in flight keeps
 * the process alive, an idle writer does not. A thread that crashes is replaced at once: what it had been given and not
 * answered may or may not be written.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Line, lineEnds, MANY_CORES } from './line.ts'
import { pack } from './packed-append.ts'
import { Rest } from './rest.ts'
import { whyOf } from './sqlite-error.ts'
import type { Answer, Change, FromThread, Op, Opening, Setup, ToThread } from './wire.ts'

/** So many operations are worth a commit of their own. */
const ENOUGH = 10
/** An answer that comes within this is looked for: to be woken for it takes a good part of that time. */
const SOON_MS = 2
/** Looks in one go, some microseconds of them: so long may everything else have to wait. */
const LOOKS = 200
/** A thread, and the line to it. */
interface Hand {
  readonly thread: Worker
  readonly line: Line<ToThread, string>
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
  /** Since when an answer is waited for: what came last is not the first to be answered. */
  #since = 0
  /** The last answer came soon after it was asked for. */
  #quick = false
  #looking = false
  readonly #rest = new Rest()

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
        const line = this.#hand?.line
        for (let told = line?.takeLast(); told !== undefined; told = line?.takeLast()) this.#heard(told)
        line?.close()
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
        hand = spawn(this.#setup(), (message) => this.#heard(message))
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
    this.#hand?.line.say(ops)
    const now = performance.now()
    if (this.#waiting.length === ops.length) this.#since = now
    if (MANY_CORES && this.#quick && now - this.#since < SOON_MS && this.#rest.isOver(now)) this.#look()
  }

  #look(): void {
    if (this.#looking) return
    this.#looking = true
    setImmediate(this.#glance)
  }

  /**
   * Between whatever else there is to do: nothing waits long for this, and soon it gives up. One of it for all times, and
   * several looks in one: what is made for each would be much of all that is ever made here, for nothing.
   */
  readonly #glance = (): void => {
    try {
      let told: string | undefined
      for (let looks = 0; looks < LOOKS && told === undefined; looks++) told = this.#hand?.line.takeSoon()
      if (told !== undefined) this.#heard(told)
    } finally {
      this.#looking = false
    }
    if (this.#waiting.length === this.#unsent.length) return
    const now = performance.now()
    if (now - this.#since < SOON_MS) this.#look()
    else this.#rest.begin(now)
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
    const now = performance.now()
    this.#quick = now - this.#since < SOON_MS
    this.#since = now
    if (this.#quick && this.#looking) this.#rest.shorten()
    else if (this.#quick) this.#rest.cameSoon()
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

function spawn(setup: Omit<Setup, 'line'>, hear: (message: string) => void): Hand {
  const file = new URL('./writer-thread.ts', import.meta.url)
  // What is shipped is `.js`, as this file is then; the compiler renames imports only.
  file.pathname = file.pathname.replace(/\.ts$/, extname(import.meta.url))
  // No flags of the process: it may have been started with some that a thread refuses, and this one needs none.
  const [ours, theirs] = lineEnds()
  const workerData: Setup = { ...setup, line: theirs }
  const options = { workerData, transferList: [theirs.port], execArgv: [], name: 'holdpoint-sqlite' }
  return { thread: new Worker(file, options), line: new Line(ours, hear) }
}
