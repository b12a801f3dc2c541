/**
 * The state at rest as plain data, kept beside the log so that nobody has to fold a long conversation from its first
 * event. Only at rest: a turn is short, and what is left of a conversation between turns is little.
 */
import type { Json } from '../json.ts'
import type { Shown } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'
import type { Plan } from '../plan/plan.ts'
import { fromSpaceBase, toSpaceBase, type SpaceBase } from '../space/space.ts'
import type { Notice } from './notices.ts'
import { emptyConversation, type Call, type Conversation, type EndedTurn } from './turn-state.ts'

interface Base {
  readonly agent: string
  readonly last?: EndedTurn
  readonly queue?: readonly Inbound[]
  readonly shown?: Shown
  readonly waiting?: readonly Call[]
  readonly plugins?: Conversation['plugins']
  readonly plans?: readonly Plan[]
  readonly outbox?: readonly Notice[]
  readonly space?: SpaceBase
}

export function toBase(state: Conversation): Json | undefined {
  const { agent, turn, queue, shown, waiting, plugins, plans, outbox, space } = state
  if (turn.phase !== 'rest') return undefined
  const base: Base = {
    agent,
    ...(turn.last && { last: turn.last }),
    ...(queue.length > 0 && { queue }),
    ...(shown && { shown }),
    ...(waiting.size > 0 && { waiting: [...waiting.values()] }),
    ...(Object.keys(plugins).length > 0 && { plugins }),
    ...(plans.size > 0 && { plans: [...plans.values()] }),
    ...(outbox.length > 0 && { outbox }),
    ...(space && { space: toSpaceBase(space) }),
  }
  return base as unknown as Json
}

export function fromBase(seq: number, base: Json): Conversation {
  const {
    agent,
    last,
    queue = [],
    shown,
    waiting = [],
    plugins = {},
    plans = [],
    outbox = [],
    space,
  } = base as unknown as Base
  return {
    ...emptyConversation,
    seq,
    agent,
    turn: { phase: 'rest', last: last && { ...last, by: last.by, message: last.message } },
    queue,
    shown,
    waiting: new Map(waiting.map((call) => [call.callId, whole(call)])),
    plugins,
    plans: new Map(plans.map((plan) => [plan.id, plan])),
    outbox,
    space: space && fromSpaceBase(space),
  }
}

/** JSON drops what is undefined; a call has its fields in every state. */
function whole(call: Call): Call {
  const { malformed, edited, approved, kept, resumed, place } = call
  const resolved = call.resolved.map((each) => ({ ...each, by: each.by }))
  const fields = { ...call, malformed, edited, approved, kept, resumed, place, resolved }
  return fields.at === 'settled' ? { ...fields, hold: fields.hold } : fields
}
