/** Replays recorded turns of a conversation, or of many, with another agent. Nothing is written. */
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import { SUMMARY } from '@holdpoint/core/internal/context/summary'
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Address } from '@holdpoint/core/internal/log/store'
import { SPACE } from '@holdpoint/core/internal/log/space-event'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import { authorsOfAll } from '@holdpoint/core/internal/log/message'
import type { Engine } from '../node/engine.ts'
import { replayTurn, type ReplayedTurn } from '../replay/replay-turn.ts'
import type { PriceOf } from '../scan/log-usage.ts'
import { checkFilter, checkId, checkRequestOptions, checkSignal, LIST, OPTIONS } from './check-request.ts'
import type { ListFilter } from './runtime-options.ts'
import { wholeLog } from './whole-log.ts'

export interface ReplayOptions {
  /** The agent that answers: one that was made for this, or the name of an agent of the runtime. Default: the recorded agent. */
  readonly agent?: Agent | string
  /** In place of the agent's instructions. */
  readonly instructions?: string
  /** `all`, or the id of one turn. Default: the newest turn. */
  readonly turn?: 'all' | (string & {})
  /** For the `cost` of both turns. */
  readonly price?: PriceOf
  readonly signal?: AbortSignal
}

export async function* replayConversation(
  engine: Engine,
  address: Address,
  options: ReplayOptions,
): AsyncGenerator<ReplayedTurn, void, undefined> {
  const { agent: wanted, instructions, turn, signal, price } = checkRequestOptions(options, OPTIONS.replay)
  checkSignal(signal)
  if (agentOfLog(address.id) !== undefined) throw invalid('The log of an autonomous agent cannot be replayed.')
  const events = await wholeLog(engine.store, address)
  const [first] = events
  if (!first || isTombstone(first) || !conversationMachine.begins(first))
    throw invalid(`There is no conversation "${address.id}" to replay.`)
  const notes = await engine.store.notes(address, { kind: SUMMARY, limit: 1000 })
  const starts = events.flatMap((event) => (event.type === 'turn.started' && event.items.length > 0 ? [event] : []))
  const chosen = turn === 'all' ? starts : [starts.findLast(({ turnId }) => turn === undefined || turnId === turn)]
  for (const started of chosen) {
    if (!started)
      throw invalid(`Conversation "${address.id}" has no turn ${turn === undefined ? '' : `"${turn}" `}to replay.`)
    const agent = await agentFor(engine, address, wanted, started.agent)
    const by = authorsOfAll(started.items)[0]?.by
    const given = instructions === undefined ? agent : { ...agent, instructions }
    const metered = engine.quotas.metered(address, given)
    const scope = engine.scope(address, by, authorsOfAll(started.items))
    yield replayTurn(metered, { id: address.id, events, notes }, started, {
      scope,
      ...(signal && { signal }),
      ...(price && { price }),
    })
  }
}

/** Turn by turn, over the conversations of a filter, newest first. */
export async function* replayMany(
  engine: Engine,
  tenant: string,
  { filter = {}, ...options }: ReplayOptions & { readonly filter?: Omit<ListFilter, 'after' | 'participant'> },
): AsyncGenerator<ReplayedTurn, void, undefined> {
  const { limit, ...fields } = checkFilter<ListFilter>(filter, LIST)
  let left = filter.limit ?? Infinity
  for (let after: string | undefined; ;) {
    const page = await engine.store.list({ ...fields, tenant, limit, ...(after !== undefined && { after }) })
    for (const { id, agent } of page.items) {
      if (agent === SPACE || agentOfLog(id) !== undefined || left-- <= 0) continue
      const address = { tenant, id }
      const started = (await engine.store.read(address, 0, 1)).length > 0
      if (started) yield* replayConversation(engine, address, { turn: 'all', ...options })
    }
    if (page.next === undefined || left <= 0) return
    after = page.next
  }
}

async function agentFor(
  engine: Engine,
  { tenant }: Address,
  wanted: Agent | string | undefined,
  recorded: string,
): Promise<Agent> {
  if (typeof wanted === 'object') return wanted
  const name = wanted === undefined ? recorded : checkId('The name of an agent', wanted)
  const found = await engine.agents.find(tenant, name)
  if (found) return found
  throw new HoldpointError('agent-missing', `There is no agent "${name}" to replay with.`)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
