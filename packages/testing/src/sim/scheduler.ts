/**
 * Every await of a simulated process is a task. One task runs at a time, chosen by the seed. All work that follows from it without
 * waiting runs before the next task is chosen.
 *
 * - Time stands still while a task can run. Then it jumps to the next moment at which one can.
 * - If a process dies, its tasks are dropped, and its awaits never resolve.
 * - When a paused process continues, all its tasks are due.
 */
import type { Random } from './random.ts'
import type { Strategy } from './strategy.ts'
import type { Trace } from './trace.ts'

/** The owner of tasks: a node, a person or a reader. */
export class Process {
  readonly name: string
  /** Counts its restarts. */
  generation = 0
  pausedUntil = 0
  /** Suspended by the scheduler for a while. */
  frozen = false
  priority = 0

  constructor(name: string) {
    this.name = name
  }
}

export interface Task {
  readonly owner: Process
  readonly label: string
  /** When it can run. */
  readonly at: number
  readonly run: () => void
  /** The request was sent already: it arrives even if its sender is paused, and perhaps even if its sender died. */
  readonly sent: boolean
}

/** No run needs more. More means an endless loop. */
const MOST_STEPS = 60_000

export class Scheduler {
  now: number
  steps = 0
  readonly #random: Random
  readonly #strategy: Strategy
  readonly #trace: Trace
  readonly #processes: Process[] = []
  /** Tasks that are due. */
  #ready: Task[] = []
  /** Later tasks, latest first. */
  #later: Task[] = []

  constructor(random: Random, strategy: Strategy, trace: Trace, start: number) {
    this.#random = random
    this.#strategy = strategy
    this.#trace = trace
    this.now = start
  }

  process(name: string): Process {
    const process = new Process(name)
    this.#processes.push(process)
    this.#strategy.meet(process)
    return process
  }

  /** Runs something later, as one step. */
  add(owner: Process, label: string, delay: number, run: () => void, sent = false): Task {
    const task = { owner, label, at: this.now + Math.ceil(delay), run, sent }
    if (delay <= 0) this.#ready.push(task)
    else {
      const index = this.#later.findLastIndex(({ at }) => at > task.at)
      this.#later.splice(index + 1, 0, task)
    }
    return task
  }

  cancel(task: Task): void {
    this.#ready = this.#ready.filter((each) => each !== task)
    this.#later = this.#later.filter((each) => each !== task)
  }

  /** A wait of a process. */
  wait(owner: Process, label: string, delay = 0): Promise<void> {
    return new Promise((resolve) => {
      this.add(owner, label, delay, resolve)
    })
  }

  /** Drops everything that the process waits for. `keep` selects the messages that still arrive. */
  kill(process: Process, keep: (task: Task) => boolean): void {
    process.generation++
    process.pausedUntil = 0
    const stays = (task: Task): boolean => task.owner !== process || (task.sent && keep(task))
    this.#ready = this.#ready.filter(stays)
    this.#later = this.#later.filter(stays)
  }

  /** The tasks of a process that wait for their time. */
  waiting(process: Process): readonly Task[] {
    return [...this.#ready, ...this.#later].filter(({ owner }) => owner === process)
  }

  /** Whether any process has a task of this kind. */
  underWay(label: string): boolean {
    return [...this.#ready, ...this.#later].some((task) => task.sent && task.label.startsWith(label))
  }

  /** Runs steps until `over` returns true or no task is left. */
  run(over: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // Node runs ticks only after all microtasks. So everything that follows from a step happens before the next step.
      const soon = (): void => process.nextTick(step)
      const step = (): void => {
        try {
          if (over() || !this.#step()) return resolve()
        } catch (error) {
          return reject(error)
        }
        queueMicrotask(soon)
      }
      soon()
    })
  }

  #step(): boolean {
    const choice = this.#choose()
    if (!choice) return false
    if (++this.steps > MOST_STEPS) throw new Error(`The run took more than ${MOST_STEPS} steps.`)
    this.#ready.splice(this.#ready.indexOf(choice), 1)
    this.#trace.add(`${this.steps} @${this.now} ${choice.owner.name} ${choice.label}`)
    choice.run()
    return true
  }

  #choose(): Task | undefined {
    for (;;) {
      this.#strategy.stepping(this.steps, this.#processes, this.#random)
      const able: Task[] = []
      let cold = false
      for (const task of this.#ready) {
        if (!task.sent && task.owner.pausedUntil > this.now) continue
        if (task.owner.frozen) cold = true
        else able.push(task)
      }
      if (able.length > 0) return able.length === 1 ? able[0] : this.#strategy.choose(able, this.#random)
      if (cold) for (const each of this.#processes) each.frozen = false
      else if (!this.#moveOn()) return undefined
    }
  }

  /** Advances time to the next moment at which a task can run. */
  #moveOn(): boolean {
    const wakes = this.#ready.map(({ owner }) => owner.pausedUntil)
    const next = Math.min(this.#later.at(-1)?.at ?? Infinity, ...wakes)
    if (next === Infinity) return false
    this.now = Math.max(this.now, next)
    for (let task = this.#later.at(-1); task && task.at <= this.now; task = this.#later.at(-1)) {
      this.#ready.push(task)
      this.#later.pop()
    }
    return true
  }
}
