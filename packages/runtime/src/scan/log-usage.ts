/** What a log used: tokens by model, and calls by tool, for each day. */
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { callsOf, type Usage } from '@holdpoint/core/internal/model/reply'
import { timeText } from '@holdpoint/core/internal/time-text'

export interface ModelUsage {
  /** In UTC: `2026-11-19`. */
  readonly day: string
  readonly agent: string
  /** As the vendor named it in the reply; empty if it did not. */
  readonly model: string
  /** Replies. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the input tokens: read from the vendor's cache. */
  readonly cachedTokens: number
  /** Undefined for a model without a price. */
  readonly cost?: number
}

export interface ToolUsage {
  readonly day: string
  readonly agent: string
  readonly tool: string
  readonly calls: number
  /** Calls that waited for an answer from outside. */
  readonly held: number
  readonly failed: number
  /** How long it ran, in all runs. The time in which a call waited is not in it. */
  readonly runMs: number
}

/** What a reply cost. Undefined for a model without a price. */
export type PriceOf = (usage: Usage & { readonly model: string }) => number | undefined

type Counted<T> = { -readonly [K in keyof T]: T[K] }
interface KnownCall {
  readonly row: Counted<ToolUsage>
  startedAt?: number
  held?: true
}

export class LogUsage {
  readonly #models = new Map<string, Counted<ModelUsage>>()
  readonly #tools = new Map<string, Counted<ToolUsage>>()
  readonly #price: PriceOf | undefined

  constructor(price: PriceOf | undefined) {
    this.#price = price
  }

  get models(): readonly ModelUsage[] {
    return [...this.#models.values()]
  }

  get tools(): readonly ToolUsage[] {
    return [...this.#tools.values()]
  }

  /** Counts what happened in this time. A call counts on the day on which the model asked for it. */
  add(
    events: readonly LogEvent[],
    { agent: first, since, until }: { readonly agent: string; readonly since: number; readonly until: number },
  ): void {
    const calls = new Map<string, KnownCall>()
    let agent = first
    for (const event of events) {
      if (event.type === 'turn.started') agent = event.agent
      if (event.type === 'model.replied' && event.at >= since && event.at <= until) {
        const day = timeText(event.at).slice(0, 10)
        this.#reply(day, agent, event.reply.modelId ?? '', event.reply.usage)
        for (const { callId, name } of callsOf(event.reply)) {
          const row = this.#tool(day, agent, name)
          row.calls++
          calls.set(callId, { row })
        }
      }
      const call = 'callId' in event ? calls.get(event.callId) : undefined
      if (call) move(call, event)
    }
  }

  #reply(day: string, agent: string, model: string, usage: Usage): void {
    const { inputTokens, outputTokens, cachedTokens = 0 } = usage
    const cost = this.#price?.({ ...usage, model })
    const key = JSON.stringify([day, agent, model])
    const row = this.#models.get(key) ?? {
      day,
      agent,
      model,
      calls: 0,
      inputTokens: 0,
      outputTokens: 0,
      cachedTokens: 0,
    }
    this.#models.set(key, row)
    row.calls++
    row.inputTokens += inputTokens
    row.outputTokens += outputTokens
    row.cachedTokens += cachedTokens
    if (cost !== undefined) row.cost = (row.cost ?? 0) + cost
  }

  #tool(day: string, agent: string, tool: string): Counted<ToolUsage> {
    const key = JSON.stringify([day, agent, tool])
    const row = this.#tools.get(key) ?? { day, agent, tool, calls: 0, held: 0, failed: 0, runMs: 0 }
    this.#tools.set(key, row)
    return row
  }
}

function move(call: KnownCall, event: LogEvent): void {
  if (event.type === 'call.started') {
    call.startedAt = event.at
    return
  }
  if (event.type === 'call.held' && !call.held) {
    call.held = true
    call.row.held++
  }
  if (event.type !== 'call.held' && event.type !== 'call.settled') return
  if (call.startedAt !== undefined) call.row.runMs += event.at - call.startedAt
  delete call.startedAt
  if (event.type === 'call.settled' && !event.outcome.ok) call.row.failed++
}
