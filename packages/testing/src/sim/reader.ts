/** A subscriber that disconnects, comes back with the last seq it saw, and must not have missed an event. */
import type { StreamItem } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import type { SimNode } from './node.ts'
import type { Process } from './scheduler.ts'
import type { World } from './world.ts'

export class Reader {
  readonly conversation: string
  /** The last seq it saw. */
  seq = 0
  /** How often the store lost events. */
  #loss = 0
  #away: AbortController | undefined
  readonly #world: World
  readonly #process: Process

  constructor(world: World, name: string, conversation: string) {
    this.#world = world
    this.#process = world.scheduler.process(name)
    this.conversation = conversation
  }

  /** Connects, and reconnects whenever the connection ends. */
  async follow(): Promise<never> {
    const { scheduler, random, nodes } = this.#world
    for (;;) {
      await scheduler.wait(this.#process, 'connects', random.between(50, 1500))
      const up = nodes.filter((node) => node.awake && !node.closing)
      if (up.length > 0) await this.#connection(random.pick(up))
    }
  }

  #connection(node: SimNode): Promise<void> {
    const away = new AbortController()
    this.#away = away
    return new Promise((resolve) => {
      const over = (error?: unknown): void => {
        if (error !== undefined) this.#world.unexpected(error, this.#process.name)
        resolve()
      }
      node.call('subscribe', (runtime) => this.#read(runtime, node, away), over.bind(undefined, undefined), over)
    })
  }

  /** The store lost events, so it starts again. */
  again(): void {
    this.seq = 0
    this.#loss++
  }

  /** Its connection ends. */
  cutOff(): void {
    this.again()
    this.#away?.abort()
  }

  async #read(runtime: Runtime, node: SimNode, away: AbortController): Promise<void> {
    if (this.#world.mishaps.isApart(node)) return
    const loss = this.#loss
    const items = runtime.subscribe(this.conversation, { after: this.seq, signal: away.signal })
    for await (const item of items) {
      // A connection from before the loss shows what was lost, until the process notices.
      if (loss !== this.#loss) return
      this.#saw(item)
      if (this.#world.faults.strikes('reader-gone')) return
    }
  }

  #saw(item: StreamItem): void {
    if (!('seq' in item)) return
    const { judge, truth } = this.#world
    const say = (): string =>
      `${this.#process.name} of ${this.conversation} saw ${item.seq} (${item.type}) after ${this.seq}`
    judge.require(item.seq === this.seq + 1, 'reader-gapless', say)
    const written = truth.conversations.get(this.conversation)?.events[item.seq - 1]
    judge.require(JSON.stringify(written) === JSON.stringify(item), 'reader-gapless', say)
    this.seq = item.seq
  }
}
