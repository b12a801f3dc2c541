/**
 * One conversation's log in this process: its events, and the state they fold to. Nobody else keeps state; whoever
 * wants to write decides on `state` and appends, and on a conflict the log has already caught up when it says so.
 */
import type { EventBody, LogEvent } from '../log/log-event.ts'
import type { Store } from '../log/store.ts'
import { callsOf } from '../model/reply.ts'
import type { Ports } from '../ports.ts'
import { evolveCall, newCall } from '../turn/call.ts'
import { findCall } from '../turn/decide.ts'
import { evolve } from '../turn/turn.ts'
import { emptyConversation, type Call, type Conversation } from '../turn/turn-state.ts'

export class Log {
  readonly id: string
  readonly events: LogEvent[] = []
  state: Conversation = emptyConversation
  readonly #store: Store
  readonly #ports: Ports
  readonly #listeners = new Set<(event: LogEvent) => void>()

  constructor(id: string, store: Store, ports: Ports) {
    this.id = id
    this.#store = store
    this.#ports = ports
  }

  /** Reads on: what others wrote since, and at first everything. */
  async refresh(): Promise<void> {
    this.#take(await this.#store.read(this.id, this.state.seq))
  }

  /** Decides and writes what was decided, again after each conflict. A no is held against the store like a yes by its append. */
  async change<D extends { readonly events?: readonly EventBody[] }>(
    decide: (state: Conversation) => D | Promise<D>,
  ): Promise<D> {
    for (;;) {
      const seq = this.state.seq
      const deciding = decide(this.state)
      const decision = deciding instanceof Promise ? await deciding : deciding
      if (this.state.seq !== seq) continue
      if (decision.events && decision.events.length > 0) {
        if (await this.append(decision.events)) return decision
      } else {
        await this.refresh()
        if (this.state.seq === seq) return decision
      }
    }
  }

  /** False when somebody else wrote first; the state is then the newest. */
  async append(events: readonly EventBody[]): Promise<boolean> {
    const written = await this.#store.append(this.id, this.state.seq, events, this.#ports.now())
    if (written === 'conflict') {
      await this.refresh()
      return false
    }
    this.#take(written)
    return true
  }

  /** A call of any turn, as the log has it. */
  find(callId: string): Call | undefined {
    const current = findCall(this.state, callId)
    if (current) return current
    let call: Call | undefined
    for (const event of this.events) {
      if (event.type === 'model.replied') {
        const part = callsOf(event.reply).find((each) => each.callId === callId)
        if (part) call = newCall(part)
      } else if (call && 'callId' in event && event.callId === callId) call = evolveCall(call, event)
    }
    return call
  }

  listen(listener: (event: LogEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Two appends may overlap in flight and answer in any order; what is already known is skipped. */
  #take(events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.state.seq) continue
      this.state = evolve(this.state, event)
      this.events.push(event)
      for (const listener of this.#listeners) listener(event)
    }
  }
}
