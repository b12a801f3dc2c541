/**
 * Replays a turn with another agent. The log up to the turn's message is copied into memory, and the agent answers there.
 * A tool that ran would act a second time, so none runs: every call is held, and settled with the result that the recorded
 * turn got for the same tool and input. The replay ends at the first call without such a result.
 *
 * Hooks do not run, because they may act too; what they changed in the recorded message is in the log. Tools that the
 * model's vendor runs are left out of the request.
 */
import { checkHooks } from '@holdpoint/core/internal/hooks/check-hooks'
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { memoryStore } from '@holdpoint/core/internal/log/memory-store'
import type { Note } from '@holdpoint/core/internal/log/store'
import { toolboxOf, type Agent } from '@holdpoint/core/internal/agent/agent'
import type { Scope } from '@holdpoint/core/internal/tool/context'
import { inputHash } from '@holdpoint/core/internal/tool/fingerprint'
import type { CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import { fold, openCalls } from '@holdpoint/core/internal/turn/turn'
import { ActiveConversation } from '../conversation/active-conversation.ts'
import { ConversationLog } from '../conversation/conversation-log.ts'
import { sessionHost } from '../drive/log-host.ts'
import type { PriceOf } from '../scan/log-usage.ts'
import { resultOf } from '../session/result.ts'
import { compareTurns, type Comparison } from './compare-turns.ts'
import { decisionsOf, type TurnDecisions } from './turn-decisions.ts'

export interface ReplayedTurn extends Comparison {
  readonly conversationId: string
  readonly turnId: string
  /** The seq of its first event. */
  readonly seq: number
  readonly recorded: TurnDecisions
  readonly replayed: TurnDecisions
  /**
   * `end`: the model ended the turn. `no-result`: it asked for a call that the recorded turn has no result of. `failed`: the
   * model failed, or the turn reached a limit; see `message`.
   */
  readonly stopped: 'end' | 'no-result' | 'failed'
  readonly message?: string
}

export interface RecordedLog {
  readonly id: string
  readonly events: readonly LogEvent[]
  readonly notes: readonly Note[]
}

type Started = Extract<LogEvent, { readonly type: 'turn.started' }>

export async function replayTurn(
  agent: Agent,
  recorded: RecordedLog,
  started: Started,
  { scope, signal, price }: { readonly scope?: Scope; readonly signal?: AbortSignal; readonly price?: PriceOf },
): Promise<ReplayedTurn> {
  const { turnId, seq } = started
  const log = await sandboxLog(agent, recorded, started)
  const sandbox = sandboxed(agent, started)
  const active = new ActiveConversation(sandbox, log, sessionHost(log.storeOfSandbox, sandbox.ports))
  const results = resultsOf(recorded.events, turnId)
  let missing = false
  const drive = async (): Promise<void> => {
    for (;;) {
      // One step at a time: when this turn is over, the next one of the queue must not begin.
      await active.drive('one-step')
      const { turn } = log.state
      if (turn.phase === 'rest' || turn.turnId !== turnId) return
      const open = openCalls(turn)
      const settled = open.flatMap(({ callId, name, proposed }) => {
        const outcome = results.get(keyOf(name, proposed))
        return outcome ? [{ type: 'call.settled', callId, outcome } as const] : []
      })
      missing = settled.length < open.length
      if (missing) return
      if (settled.length > 0) await log.append(settled)
    }
  }
  await active.run(undefined, { ...(scope && { scope }), ...(signal && { signal }) }, drive)
  const decided = decisionsOf(log.events, log.state, turnId, price)
  const original = decisionsOf(recorded.events, fold(recorded.events), turnId, price)
  const { turn } = log.state
  const failed = turn.phase === 'rest' && turn.last?.reason !== 'completed' ? turn.last : undefined
  return {
    conversationId: recorded.id,
    turnId,
    seq,
    recorded: original,
    replayed: decided,
    ...compareTurns(original, decided),
    stopped: missing ? 'no-result' : failed ? 'failed' : 'end',
    ...(failed && { message: failed.message ?? failed.reason }),
  }
}

class SandboxLog extends ConversationLog {
  get storeOfSandbox(): ConversationLog['store'] {
    return this.store
  }
}

/** The log up to the message of the turn, as hooks left the message. */
async function sandboxLog(agent: Agent, { id, events, notes }: RecordedLog, started: Started): Promise<SandboxLog> {
  const before = events.filter(({ seq }) => seq <= started.seq)
  const changed = events.find((event) => event.type === 'message.changed' && event.turnId === started.turnId)
  const prefix = changed ? [...before, { ...changed, seq: started.seq + 1 }] : before
  const known = notes.filter(({ seq }) => seq <= started.seq)
  const store = memoryStore({ now: agent.ports.now, log: { id, events: prefix, notes: known } })
  const log = new SandboxLog({ tenant: '', id }, store, agent.ports, { whole: true })
  await log.refresh()
  await log.reachBack(1)
  await log.summary()
  return log
}

function sandboxed(agent: Agent, { agent: name }: Started): Agent {
  const tools = agent.tools.filter(({ executor }) => executor !== 'provider')
  return {
    ...agent,
    name,
    mode: 'manual',
    tools,
    toolbox: toolboxOf({ name, mode: 'manual' }, tools),
    hooks: checkHooks(name, []),
    audit: undefined,
    autonomy: undefined,
    sender: undefined,
    context: { ...agent.context, summarize: undefined },
  }
}

function resultsOf(events: readonly LogEvent[], turnId: string): ReadonlyMap<string, CallOutcome> {
  const { steps } = resultOf(events, fold(events), 'auto', turnId)
  return new Map(
    steps.flatMap(({ calls }) =>
      calls.flatMap(({ name, input, outcome }) => (outcome ? [[keyOf(name, input), outcome] as const] : [])),
    ),
  )
}

function keyOf(name: string, input: Json): string {
  return `${name} ${inputHash(input)}`
}
