/**
 * The state at rest as plain data, stored beside the log, so that a process need not fold a long conversation from its first
 * event. It is made only at rest, where the state is small.
 */
import type { Json } from '../json.ts'
import type { Shown } from '../log/log-event.ts'
import type { Inbound } from '../log/message.ts'
import type { Plan } from '../plan/plan.ts'
import type { Notice } from '../log/notice.ts'
import type { Erasure } from './erased.ts'
import { NO_PEOPLE, type People } from './people.ts'
import { emptyConversation, type Call, type Conversation, type EndedTurn } from './turn-state.ts'

interface Base {
  readonly agent: string
  readonly people?: People
  readonly erased?: Erasure
  /** An older base has `by` in place of `askedBy`. */
  readonly last?: Omit<EndedTurn, 'askedBy'> & Partial<Pick<EndedTurn, 'askedBy'>> & { readonly by?: string }
  readonly queue?: readonly Inbound[]
  /** The seq of each of them. */
  readonly queuedAt?: readonly number[]
  readonly shown?: Shown
  readonly waiting?: readonly Call[]
  readonly plugins?: Conversation['plugins']
  readonly plans?: readonly Plan[]
  readonly outbox?: readonly Notice[]
  readonly restored?: true
  readonly tellsNews?: true
}

export function toBase(state: Conversation): Json | undefined {
  const { agent, people, erased, turn, queue, shown, waiting, plugins, plans, outbox, restored, tellsNews } = state
  if (turn.phase !== 'rest') return undefined
  const base: Base = {
    agent,
    ...(isKnown(people) && { people }),
    ...(erased && { erased }),
    ...(turn.last && { last: turn.last }),
    ...(queue.length > 0 && { queue: queue.map(({ item }) => item), queuedAt: queue.map(({ seq }) => seq) }),
    ...(shown && { shown }),
    ...(waiting.size > 0 && { waiting: [...waiting.values()] }),
    ...(Object.keys(plugins).length > 0 && { plugins }),
    ...(plans.size > 0 && { plans: [...plans.values()] }),
    ...(outbox.length > 0 && { outbox }),
    ...(restored && { restored }),
    ...(tellsNews && { tellsNews }),
  }
  return base as unknown as Json
}

export function fromBase(seq: number, base: Json): Conversation {
  const {
    agent,
    people,
    erased,
    last,
    queue = [],
    queuedAt = [],
    shown,
    waiting = [],
    plugins = {},
    plans = [],
    outbox = [],
    restored = false,
    tellsNews = false,
  } = base as unknown as Base
  return {
    ...emptyConversation,
    seq,
    agent,
    people: people ? { owner: people.owner, participants: people.participants } : NO_PEOPLE,
    erased,
    turn: { phase: 'rest', last: last && endedTurn(last) },
    queue: queue.map((item, index) => ({ seq: queuedAt[index] ?? 0, item })),
    shown,
    waiting: new Map(waiting.map((call) => [call.callId, whole(call)])),
    plugins,
    plans: new Map(plans.map((plan) => [plan.id, plan])),
    outbox,
    restored,
    tellsNews,
  }
}

function isKnown({ owner, participants }: People): boolean {
  return owner !== undefined || participants.length > 0
}

function endedTurn({ by, ...last }: NonNullable<Base['last']>): EndedTurn {
  const { askedBy = [{ via: 'message', ...(by !== undefined && { by }) }], message } = last
  return { ...last, askedBy, message }
}

/** Restores fields that JSON dropped because they were undefined. */
function whole(call: Call): Call {
  const { malformed, edited, approved, kept, resumed, inSpace } = call
  const fields = { ...call, malformed, edited, approved, kept, resumed, inSpace }
  return fields.at === 'settled' ? { ...fields, hold: fields.hold } : fields
}
