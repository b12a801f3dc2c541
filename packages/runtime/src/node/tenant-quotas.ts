/**
 * What one tenant may have and use. Sizes are refused at the quota: a retry helps only after something was erased. Model
 * calls wait for the next minute and are never lost; new messages are refused while too many of them wait.
 *
 * All processes on one store share the count of model calls. The counts of conversations and bytes are up to a minute old,
 * so a tenant may exceed these quotas by what it stores within a minute.
 */
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import { HoldpointError, messageOf } from '@holdpoint/core/internal/failure'
import type { JsonObject } from '@holdpoint/core/internal/json'
import type { Address, Store, TenantUsage } from '@holdpoint/core/internal/log/store'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import type { Ports } from '@holdpoint/core/internal/ports'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { WITH_PLANS } from '@holdpoint/core/internal/turn/derive-rows'
import { meteredAgent } from './metered-agent.ts'

export interface Quotas {
  /** Conversations, spaces and logs of autonomous agents. */
  readonly conversations?: number
  /** Bytes of all events and files, about as large as the store keeps them. */
  readonly storedBytes?: number
  /** Calls of any model, summaries and retries included. */
  readonly modelCallsPerMinute?: number
  /** Plans of all agents. A tool that makes a plan over the quota is told why it cannot. */
  readonly plans?: number
}

export type QuotaName = keyof Quotas

/** A tenant reached a quota. `requests` and `bytes` are limits of the gateway. */
export interface QuotaReached {
  readonly tenant: string
  readonly quota: QuotaName | 'requests' | 'bytes'
  /** `delayed`: a model call waits for the next minute. */
  readonly effect: 'refused' | 'delayed'
}

/** What is used of each quota. `limit` is left out when there is none. */
export type QuotaUsage = Readonly<Record<Exclude<QuotaName, 'plans'>, Used>> & {
  /** Counted only where there is a quota: every log with plans is read for it. */
  readonly plans?: Used
  /** Model calls in this process that wait for the next minute. */
  readonly modelCallsWaiting: number
}

interface Used {
  readonly used: number
  readonly limit?: number
}

const ADVICE: Readonly<Record<QuotaName, (limit: number) => string>> = {
  conversations: (limit) => `${limit} conversations. Erase some, or ask the operator for a higher quota`,
  storedBytes: (limit) => `${limit} stored bytes. Erase conversations, or ask the operator for a higher quota`,
  plans: (limit) => `${limit} plans. Delete some, or ask the operator for a higher quota`,
  modelCallsPerMinute: (limit) => `${limit} model calls per minute, and as many wait. Retry in the next minute`,
}

export class QuotaExceeded extends HoldpointError {
  readonly quota: QuotaName
  readonly limit: number
  /** Milliseconds until a retry may succeed; undefined when time does not help. */
  readonly retryAfterMs: number | undefined

  constructor(quota: QuotaName, limit: number, retryAfterMs?: number) {
    super('quota-exceeded', `The tenant reached its quota of ${ADVICE[quota](limit)}.`)
    this.quota = quota
    this.limit = limit
    this.retryAfterMs = retryAfterMs
  }

  static override is(value: unknown): value is QuotaExceeded {
    return HoldpointError.is(value) && value.code === 'quota-exceeded'
  }
}

/** One document per tenant and minute. */
const MODEL_CALLS = 'runtime.model-calls'
const MINUTE_MS = 60_000
const MAX_TENANTS = 10_000
const PAGE = 100

/** Model calls of one tenant wait in the order in which they came. */
interface Queue {
  last: Promise<void>
  length: number
  /** The first of them waits for the next minute. */
  delayed: boolean
}

export class TenantQuotas {
  readonly #any: boolean
  readonly #of: (tenant: string) => Quotas | undefined
  readonly #store: Store
  readonly #ports: Ports
  readonly #onReached: ((reached: QuotaReached) => void) | undefined
  readonly #problem: (error: unknown) => void
  readonly #sizes = new Map<string, { readonly at: number; conversations: number; bytes: number }>()
  readonly #plans = new Map<string, { readonly at: number; count: number }>()
  readonly #queues = new Map<string, Queue>()
  readonly #told = new Map<string, number>()

  /** `problem` is told, once a minute, of a tenant whose model calls wait, and when `onQuotaReached` throws. */
  constructor(
    {
      quotas,
      onQuotaReached,
    }: {
      readonly quotas?: Quotas | ((tenant: string) => Quotas | undefined)
      readonly onQuotaReached?: (reached: QuotaReached) => void
    },
    store: Store,
    ports: Ports,
    problem: (error: unknown) => void,
  ) {
    this.#any = quotas !== undefined
    this.#of = typeof quotas === 'function' ? (tenant) => checkQuotas(quotas(tenant) ?? {}) : () => quotas
    this.#store = store
    this.#ports = ports
    this.#onReached = onQuotaReached
    this.#problem = problem
  }

  /** Throws `QuotaExceeded` when the tenant may store nothing more, or too many of its model calls wait. */
  async admitMessage(to: Address): Promise<void> {
    const { tenant } = to
    const { modelCallsPerMinute: calls } = this.#of(tenant) ?? {}
    if (calls !== undefined && this.#waiting(tenant) >= Math.max(1, calls))
      throw this.#refused(tenant, new QuotaExceeded('modelCallsPerMinute', calls, this.#untilNextMinute()))
    await this.admitWrite(to)
  }

  /** Throws `QuotaExceeded` when the tenant may store nothing more, or no other conversation. */
  async admitWrite(to: Address): Promise<void> {
    const { tenant } = to
    const { conversations, storedBytes } = this.#of(tenant) ?? {}
    if (conversations === undefined && storedBytes === undefined) return
    const sizes = await this.#sizesOf(tenant)
    if (storedBytes !== undefined && sizes.bytes >= storedBytes)
      throw this.#refused(tenant, new QuotaExceeded('storedBytes', storedBytes))
    if (conversations === undefined || (await this.#store.heads([to]))[0] !== 0) return
    if (sizes.conversations >= conversations)
      throw this.#refused(tenant, new QuotaExceeded('conversations', conversations))
    sizes.conversations++
  }

  /** Throws `QuotaExceeded` when the tenant may not store so many more bytes. */
  async admitBytes(tenant: string, bytes: number): Promise<void> {
    const { storedBytes } = this.#of(tenant) ?? {}
    if (storedBytes === undefined) return
    const sizes = await this.#sizesOf(tenant)
    if (sizes.bytes + bytes > storedBytes || sizes.bytes >= storedBytes)
      throw this.#refused(tenant, new QuotaExceeded('storedBytes', storedBytes))
    sizes.bytes += bytes
  }

  async usage(tenant: string): Promise<QuotaUsage> {
    const { conversations, storedBytes, modelCallsPerMinute, plans } = this.#of(tenant) ?? {}
    const [sizes, calls] = await Promise.all([this.#sizesOf(tenant), this.#callsIn(tenant, this.#minute())])
    await this.countPlans(tenant)
    return {
      ...(plans !== undefined && { plans: { used: this.#plans.get(tenant)?.count ?? 0, limit: plans } }),
      conversations: { used: sizes.conversations, ...(conversations !== undefined && { limit: conversations }) },
      storedBytes: { used: sizes.bytes, ...(storedBytes !== undefined && { limit: storedBytes }) },
      modelCallsPerMinute: {
        used: calls.count,
        ...(modelCallsPerMinute !== undefined && { limit: modelCallsPerMinute }),
      },
      modelCallsWaiting: this.#waiting(tenant),
    }
  }

  /** The agent with models that wait for the quota. */
  metered({ tenant }: Address, agent: Agent): Agent {
    if (!this.#any) return agent
    return meteredAgent(
      agent,
      (signal) => this.#admitModelCall(tenant, signal),
      () => this.#whyNoPlan(tenant),
    )
  }

  /** Throws `QuotaExceeded` when the tenant may make no further plan. Call `countPlans` first. */
  admitPlan(tenant: string): void {
    const limit = this.#of(tenant)?.plans
    if (limit === undefined) return
    const plans = this.#plans.get(tenant)
    if (!plans || plans.count >= limit) throw this.#refused(tenant, new QuotaExceeded('plans', limit))
    plans.count++
  }

  #refused(tenant: string, exceeded: QuotaExceeded): QuotaExceeded {
    this.#reached({ tenant, quota: exceeded.quota, effect: 'refused' })
    return exceeded
  }

  /** A listener that throws must not change what happens at the quota. */
  #reached(reached: QuotaReached): void {
    try {
      this.#onReached?.(reached)
    } catch (error) {
      this.#problem(error)
    }
  }

  #whyNoPlan(tenant: string): string | undefined {
    try {
      this.admitPlan(tenant)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  /** Counts the plans of the tenant, if there is a quota and the count is older than a minute. */
  async countPlans(tenant: string): Promise<void> {
    if (this.#of(tenant)?.plans === undefined) return
    const now = this.#ports.monotonic()
    if (now - (this.#plans.get(tenant)?.at ?? -Infinity) < MINUTE_MS) return
    let count = 0
    for (let after: string | undefined; ;) {
      const query = { tenant, labels: [WITH_PLANS], limit: PAGE, ...(after !== undefined && { after }) }
      const { items, next } = await this.#store.list(query)
      for (const { id } of items) {
        const loaded = await this.#store.load({ tenant, id })
        count += loaded ? foldLoaded(conversationMachine, loaded).plans.size : 0
      }
      if (next === undefined) break
      after = next
    }
    if (this.#plans.size >= MAX_TENANTS) this.#plans.clear()
    this.#plans.set(tenant, { at: now, count })
  }

  /** Resolves when the model may be called, or when the signal aborts. */
  async #admitModelCall(tenant: string, signal: AbortSignal): Promise<void> {
    // The tools that the model asks for may make plans.
    await this.countPlans(tenant)
    if (this.#limit(tenant) === undefined) return
    const queue = this.#queues.get(tenant) ?? { last: Promise.resolve(), length: 0, delayed: false }
    this.#queues.set(tenant, queue)
    queue.length++
    const mine = queue.last.then(() => this.#waitForMinute(tenant, queue, signal)).finally(() => queue.length--)
    queue.last = mine.catch(() => {})
    await mine
  }

  async #waitForMinute(tenant: string, queue: Queue, signal: AbortSignal): Promise<void> {
    for (let first = true; ; first = false) {
      const limit = this.#limit(tenant)
      if (signal.aborted || limit === undefined || (await this.#takeCall(tenant, limit))) return
      if (first) this.#reached({ tenant, quota: 'modelCallsPerMinute', effect: 'delayed' })
      this.#tell(tenant, limit)
      queue.delayed = true
      await this.#ports.sleep(this.#untilNextMinute(), signal)
      queue.delayed = false
    }
  }

  /** Counts a call by compare-and-set: other processes count too. */
  async #takeCall(tenant: string, limit: number): Promise<boolean> {
    for (;;) {
      const minute = this.#minute()
      const { count, version } = await this.#callsIn(tenant, minute)
      if (count >= limit) return false
      const put = await this.#store.put({
        tenant,
        kind: MODEL_CALLS,
        id: minute,
        data: { count: count + 1 },
        expected: version,
        ttlMs: 2 * MINUTE_MS,
      })
      if (put.result === 'ok') return true
    }
  }

  async #callsIn(tenant: string, minute: string): Promise<{ readonly count: number; readonly version: number }> {
    const doc = await this.#store.get(tenant, MODEL_CALLS, minute)
    const count = (doc?.data as JsonObject | undefined)?.['count']
    return { count: typeof count === 'number' ? count : 0, version: doc?.version ?? 0 }
  }

  async #sizesOf(tenant: string): Promise<{ conversations: number; bytes: number }> {
    const now = this.#ports.monotonic()
    const cached = this.#sizes.get(tenant)
    if (cached && now - cached.at < MINUTE_MS) return cached
    const { conversations, bytes: ofLogs }: TenantUsage = await this.#store.usage(tenant)
    const bytes = ofLogs + ((await this.#store.files?.().usage(tenant)) ?? 0)
    if (this.#sizes.size >= MAX_TENANTS) this.#sizes.clear()
    const sizes = { at: now, conversations, bytes }
    this.#sizes.set(tenant, sizes)
    return sizes
  }

  #waiting(tenant: string): number {
    const queue = this.#queues.get(tenant)
    return queue?.delayed ? queue.length : 0
  }

  #limit(tenant: string): number | undefined {
    return this.#of(tenant)?.modelCallsPerMinute
  }

  #tell(tenant: string, limit: number): void {
    const minute = Number(this.#minute())
    if (this.#told.get(tenant) === minute) return
    if (this.#told.size >= MAX_TENANTS) this.#told.clear()
    this.#told.set(tenant, minute)
    this.#problem(new QuotaExceeded('modelCallsPerMinute', limit, this.#untilNextMinute()))
  }

  #minute(): string {
    return String(Math.floor(this.#ports.now() / MINUTE_MS))
  }

  #untilNextMinute(): number {
    return MINUTE_MS - (this.#ports.now() % MINUTE_MS)
  }
}

export function checkQuotas(quotas: Quotas): Quotas {
  for (const [name, limit] of Object.entries(quotas)) {
    if (!Object.hasOwn(ADVICE, name))
      throw invalid(`there is no quota "${name}". The quotas are ${Object.keys(ADVICE).join(', ')}`)
    if (limit !== undefined && !(Number.isFinite(limit) && limit >= 0))
      throw invalid(`"${name}" must be a number from 0`)
  }
  return quotas
}

function invalid(what: string): HoldpointError {
  return new HoldpointError('config-invalid', `"quotas": ${what}.`)
}
