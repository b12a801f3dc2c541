/** Metrics of what this process wrote. */
import { metrics, type Counter, type Histogram, type MeterProvider } from '@opentelemetry/api'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { LogEvent } from '@holdpoint/core'
import { GEN_AI, GEN_AI_METRICS, SCHEMA_URL } from './gen-ai.ts'
import type { LogSpan } from './log-span.ts'

/** What a reply cost. */
export type Price = (usage: {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
}) => number | undefined

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const WAITS = [1, 10, 60, 300, 900, 3600, 14_400, 86_400, 259_200, 604_800]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]

export class LogMetrics {
  readonly #duration: Histogram
  readonly #tokens: Histogram
  readonly #tool: Histogram
  readonly #wait: Histogram
  readonly #turns: Counter
  readonly #steps: Counter
  readonly #retries: Counter
  readonly #holds: Counter
  readonly #expired: Counter
  readonly #cost: Counter
  readonly #price: Price | undefined
  readonly #lag: ReturnType<typeof monitorEventLoopDelay>

  constructor(provider: MeterProvider = metrics.getMeterProvider(), price?: Price) {
    const meter = provider.getMeter('@holdpoint/telemetry', undefined, { schemaUrl: SCHEMA_URL })
    const histogram = (
      name: string,
      unit: string,
      description: string,
      explicitBucketBoundaries: number[],
    ): Histogram => meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } })
    const counter = (name: string, unit: string, description: string): Counter =>
      meter.createCounter(name, { unit, description })
    this.#price = price
    this.#duration = histogram(GEN_AI_METRICS.operationDuration, 's', 'Duration of model calls.', SECONDS)
    this.#tokens = histogram(GEN_AI_METRICS.tokenUsage, '{token}', 'Tokens of model calls.', TOKENS)
    this.#tool = histogram('holdpoint.tool.duration', 's', 'Duration of tool runs.', SECONDS)
    this.#wait = histogram('holdpoint.hold.duration', 's', 'How long holds waited until they ended.', WAITS)
    this.#turns = counter('holdpoint.turns', '{turn}', 'Turns that ended.')
    this.#steps = counter('holdpoint.steps', '{step}', 'Replies of models.')
    this.#retries = counter('holdpoint.model.retries', '{attempt}', 'Failed attempts to call a model.')
    this.#holds = counter('holdpoint.holds', '{hold}', 'Holds that were made.')
    this.#expired = counter('holdpoint.holds.expired', '{hold}', 'Holds whose deadline passed.')
    this.#cost = counter('holdpoint.cost', '1', 'What replies cost, by the prices of the application.')
    this.#lag = monitorEventLoopDelay({ resolution: 20 })
    this.#lag.enable()
    const lag = meter.createObservableGauge('holdpoint.eventloop.delay', {
      unit: 's',
      description: 'The 99th percentile of the delay of the event loop since the last reading.',
    })
    lag.addCallback((result) => {
      result.observe(this.#lag.percentile(99) / 1e9)
      this.#lag.reset()
    })
  }

  span({ kind, start, end, attributes, error }: LogSpan): void {
    const seconds = (end - start) / 1000
    const agent = { [GEN_AI.agent]: attributes[GEN_AI.agent] as string }
    const failed = error ? { 'error.type': error.type } : {}
    const tool = { ...agent, [GEN_AI.toolName]: String(attributes[GEN_AI.toolName] ?? '') }
    if (kind === 'chat') this.#chat(attributes, seconds, agent, failed)
    if (kind === 'execute_tool') this.#tool.record(seconds, { ...tool, ...failed })
    if (kind !== 'wait') return
    const ended = String(attributes['holdpoint.hold.ended'])
    const hold = { ...tool, 'holdpoint.hold.kind': String(attributes['holdpoint.hold.kind']) }
    this.#wait.record(seconds, { ...hold, 'holdpoint.hold.ended': ended })
    if (ended === 'expired') this.#expired.add(1, hold)
  }

  event(event: LogEvent): void {
    if (event.type === 'turn.ended') this.#turns.add(1, { 'holdpoint.turn.reason': event.reason })
    if (event.type === 'call.held') this.#holds.add(1, { 'holdpoint.hold.kind': event.hold.kind })
    if (event.type === 'turn.ended' || event.type === 'model.replied') {
      const failed = event.attempts?.length ?? 0
      if (failed > 0) this.#retries.add(failed)
    }
    if (event.type !== 'model.replied') return
    this.#steps.add(1)
    const last = !event.again && event.reply.parts.every(({ type }) => type !== 'call')
    if (last) this.#turns.add(1, { 'holdpoint.turn.reason': event.ends ?? 'completed' })
  }

  close(): void {
    this.#lag.disable()
  }

  #chat(attributes: LogSpan['attributes'], seconds: number, agent: object, failed: object): void {
    const model = String(attributes[GEN_AI.responseModel] ?? attributes[GEN_AI.requestModel] ?? '')
    const common = {
      ...agent,
      [GEN_AI.operation]: 'chat',
      ...(model !== '' && { [GEN_AI.responseModel]: model }),
    }
    this.#duration.record(seconds, { ...common, ...failed })
    const inputTokens = attributes[GEN_AI.inputTokens]
    const outputTokens = attributes[GEN_AI.outputTokens]
    if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return
    this.#tokens.record(inputTokens, { ...common, [GEN_AI.tokenType]: 'input' })
    this.#tokens.record(outputTokens, { ...common, [GEN_AI.tokenType]: 'output' })
    const cost = this.#price?.({ model, inputTokens, outputTokens })
    if (cost !== undefined && cost >= 0) this.#cost.add(cost, common)
  }
}
