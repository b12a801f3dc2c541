/**
 * Erases conversations that are older than their agent or tenant keeps them. Every process that drives looks at all
 * conversations once an hour: to erase twice changes nothing. A conversation with an open hold, or with work, stays.
 */
import { milliseconds, type Duration } from '@holdpoint/core/internal/duration'
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import { SPACE } from '@holdpoint/core/internal/log/space-event'
import type { WalkedConversation } from '@holdpoint/core/internal/log/store'
import { erase } from '../runtime/erase.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { Agents } from './agents.ts'
import type { Engine } from './engine.ts'

export type EraseAfter =
  | Duration
  | ((conversation: { readonly tenant: string; readonly agent: string }) => Duration | undefined)

const EVERY_MS = 3_600_000
const PAGE = 200

export class Retention {
  readonly #engine: Engine
  readonly #agents: Pick<Agents, 'find'>
  readonly #eraseAfter: EraseAfter | undefined
  /** Whether any conversation may be too old one day. */
  readonly #any: boolean
  #nextAt = 0
  #pass: Promise<void> | undefined

  constructor(
    engine: Engine,
    find: Pick<Agents, 'find'>,
    {
      eraseAfter,
      agentFor,
      agents = [],
      drive = true,
    }: Pick<RuntimeOptions, 'eraseAfter' | 'agentFor' | 'agents' | 'drive'>,
  ) {
    this.#engine = engine
    this.#agents = find
    this.#eraseAfter = eraseAfter
    // Agents from `agentFor` are not known beforehand.
    const some = agentFor !== undefined || agents.some(({ eraseAfterMs }) => eraseAfterMs !== undefined)
    this.#any = drive && (eraseAfter !== undefined || some)
  }

  /** Begins a pass when it is time. A pass may take long, so nothing waits for it. */
  look(signal: AbortSignal): void {
    const now = this.#engine.ports.monotonic()
    if (!this.#any || this.#pass || now < this.#nextAt) return
    this.#nextAt = now + EVERY_MS
    this.#pass = this.#eraseOld(signal)
      .catch((error: unknown) => this.#engine.problem(error))
      .finally(() => (this.#pass = undefined))
  }

  async settled(): Promise<void> {
    await this.#pass
  }

  async #eraseOld(signal: AbortSignal): Promise<void> {
    const { store } = this.#engine
    const kept = new Map<string, number>()
    for (let after: string | undefined; !signal.aborted;) {
      const { items, next } = await store.walk({ limit: PAGE, ...(after !== undefined && { after }) })
      for (const row of items) if (!signal.aborted) await this.#eraseIfOld(row, kept)
      if (next === undefined) return
      after = next
    }
  }

  async #eraseIfOld(
    { tenant, id, agent, status, seq, updatedAt }: WalkedConversation,
    kept: Map<string, number>,
  ): Promise<void> {
    if (status !== 'idle' || agent === SPACE || agentOfLog(id) !== undefined) return
    const address = { tenant, id }
    try {
      const key = JSON.stringify([tenant, agent])
      const keepMs = kept.get(key) ?? (await this.#keepMs(tenant, agent))
      kept.set(key, keepMs)
      if (this.#engine.ports.now() - updatedAt < keepMs) return
      // It stays when it has a newer event by now.
      await erase(this.#engine, address, { by: undefined, policy: 'retention', cancel: false, seq })
    } catch (error) {
      // One that fails must not keep the others.
      this.#engine.problem(error, address)
    }
  }

  /** The shorter of what the agent and the operator say. */
  async #keepMs(tenant: string, name: string): Promise<number> {
    const eraseAfter = this.#eraseAfter
    const rule = typeof eraseAfter === 'function' ? eraseAfter({ tenant, agent: name }) : eraseAfter
    const own = (await this.#agents.find(tenant, name))?.eraseAfterMs ?? Infinity
    return Math.min(own, rule === undefined ? Infinity : milliseconds(rule))
  }
}
