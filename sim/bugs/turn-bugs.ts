/** A machine that decides wrongly. */
import { patch, type Bug } from './bug.ts'

const TURN = 'core/src/turn/turn.ts'
const END_TURN = 'core/src/turn/end-turn.ts'
const EXPIRE = 'core/src/turn/expire-hold.ts'
const GRACE = 'core/src/turn/decide-client-grace.ts'
const RESOLVE = 'core/src/turn/resolve.ts'
const LATE = 'core/src/turn/late-answer.ts'
const APPROVERS = 'core/src/turn/approvers.ts'
const LIVE = 'runtime/src/conversation/active-conversation.ts'

export const turnBugs: readonly Bug[] = [
  {
    name: 'calls-the-model-while-a-call-is-open',
    patches: [
      patch(
        TURN,
        "const open = calls.some((each) => each.at !== 'settled')",
        "const open = calls.filter((each) => each.at !== 'settled').length > 1",
      ),
    ],
  },
  {
    name: 'forgets-the-queue-when-a-turn-ends',
    patches: [
      patch(
        TURN,
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls are open')",
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls are open')\n      state = { ...state, queue: [] }",
      ),
    ],
  },
  {
    name: 'leaves-calls-open-when-a-turn-is-cancelled',
    patches: [
      patch(END_TURN, 'const settled = openCalls(turn).map(', 'const settled = openCalls(turn).slice(1).map('),
      patch(TURN, "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls are open')", ''),
    ],
  },
  {
    name: 'expires-holds-before-the-deadline',
    patches: [
      patch(EXPIRE, "if (now < hold.expiresAt) return refuse('not-due'", "if (now < 0) return refuse('not-due'"),
      patch(
        'runtime/src/conversation/conversation-performer.ts',
        'ports.now() >= effect.at ? eventsOfDecision(decideExpire(',
        'ports.now() >= 0 ? eventsOfDecision(decideExpire(',
      ),
    ],
  },
  {
    name: 'fails-a-client-call-before-its-grace-is-over',
    patches: [
      patch(GRACE, 'if (now < (graceEnds(hold, seenAt) ?? Infinity))', 'if (now < 0)'),
      patch(
        'runtime/src/conversation/expire-client-grace.ts',
        'if (grace === undefined || now() < grace)',
        'if (grace === undefined)',
      ),
    ],
  },
  {
    name: 'checks-a-grace-only-at-the-deadline',
    patches: [patch('core/src/turn/derive-rows.ts', 'return hold ? lookAt(hold) : at', 'return at')],
  },
  {
    name: 'never-ends-a-grace',
    patches: [patch('runtime/src/node/connected-clients.ts', 'let last = this.#startedAt', 'let last = Infinity')],
  },
  {
    name: 'accepts-a-late-answer',
    patches: [
      patch(
        LATE,
        "return notAccepted('expired', `Call ${callId} expired before this answer came.`)",
        'return accepted()',
      ),
    ],
  },
  {
    name: 'accepts-a-second-answer',
    patches: [
      patch(
        RESOLVE,
        'if (first) return sameAnswer(first.resolution, command.resolution) ? duplicate(first) : conflict(first)',
        'if (first) return accepted()',
      ),
    ],
  },
  {
    name: 'ignores-the-kinds-a-caller-may-answer',
    patches: [patch(RESOLVE, 'return kinds === undefined || kinds.includes(kind)', 'return true')],
  },
  {
    name: 'checks-the-right-to-answer-before-it-reads-the-newest-state',
    patches: [
      patch(
        LIVE,
        'const changed = await this.log.change(async (state) => {\n      // A caller who',
        `const before = { ...read, callId, now: this.agent.ports.now() }
    const early = await checkResolution(await this.log.find(callId), before, this.#context({}))
    if (early.verdict === 'not-allowed') return early
    const changed = await this.log.change(async (state) => {
      // A caller who`,
      ),
      patch(
        LIVE,
        'const command = { ...read, ...kinds, absent, callId,',
        'const { kinds: _kinds, ...rest } = read\n      const command = { ...rest, absent, callId,',
      ),
    ],
  },
  {
    name: 'checks-the-right-to-answer-against-an-older-hold',
    patches: [
      patch(
        RESOLVE,
        'const kind = open?.kind ?? first?.hold ?? hold?.kind ?? kindBefore(call)',
        'const kind = kindBefore(call)',
      ),
    ],
  },
  {
    name: 'applies-an-answer-to-another-hold',
    patches: [
      patch(RESOLVE, 'const meant = command.hold === undefined || command.hold === call.holds', 'const meant = true'),
    ],
  },
  {
    name: 'accepts-one-approver-of-two',
    patches: [
      patch(
        'core/src/turn/approve-hold.ts',
        'if (approvers <= 1) return accepted(...events)',
        'if (approvers <= 2) return accepted(...events)',
      ),
    ],
  },
  {
    name: 'ignores-the-list-of-approvers',
    patches: [
      patch(APPROVERS, 'if (named.length === 0) return { ok: true }', 'if (named.length >= 0) return { ok: true }'),
    ],
  },
  {
    name: 'lets-a-person-write-who-does-not-participate',
    patches: [patch('core/src/turn/people.ts', "if (seq === 0 || by?.access !== 'own' ||", 'if (seq >= 0 ||')],
  },
  {
    name: 'checks-participants-against-an-old-state',
    patches: [
      patch(
        LIVE,
        'const send = ',
        'const known = ((globalThis as any).people ??= new Map())\n      if (!known.has(this)) known.set(this, state.people)\n      if (state.seq > 0) state = { ...state, people: known.get(this) }\n      const send = ',
      ),
    ],
  },
  {
    name: 'forgets-participants-at-rest',
    patches: [patch('core/src/turn/conversation-base.ts', '...(isKnown(people) && { people }),', '')],
  },
  {
    name: 'lets-the-requester-approve',
    patches: [patch(APPROVERS, 'if (asked(by.id))', 'if (asked(by.id) && by.id === "")')],
  },
  {
    name: 'counts-a-delegate-and-the-delegator-as-two',
    patches: [
      patch('core/src/turn/quorum.ts', 'return onBehalfOf === undefined ? [by] : [by, onBehalfOf]', 'return [by]'),
    ],
  },
  {
    name: 'accepts-an-expired-delegation',
    patches: [patch(APPROVERS, 'now < until && isIn(from)', 'until > 0 && isIn(from)')],
  },
  {
    name: 'reads-groups-from-a-stale-cache',
    patches: [
      patch(
        'runtime/src/conversation/read-resolution.ts',
        'return { resolution, by: principalOf(by), ',
        'const known = ((globalThis as any).known ??= new Map())\n    const who = principalOf(by)\n    if (who && !known.has(who.id)) known.set(who.id, who)\n    return { resolution, by: who && known.get(who.id), ',
      ),
    ],
  },
  {
    name: 'escalates-twice',
    patches: [patch('core/src/turn/call.ts', 'const { escalation: _escalation, ...left } = hold', 'const left = hold')],
  },
  {
    name: 'reminds-before-its-time',
    patches: [
      patch('core/src/turn/remind-approvers.ts', 'now >= (hold.remindAt ?? Infinity)', 'hold.remindAt !== undefined'),
      patch('runtime/src/conversation/expire-holds.ts', 'if (now() >= Math.min(', 'if (now() >= 0 * Math.min('),
    ],
  },
  {
    name: 'stores-no-deadline-for-reminders-and-escalations',
    patches: [
      patch(
        'core/src/turn/hold.ts',
        'return Math.min(expiresAt, graceEnds(hold) ?? Infinity, remindAt, escalation?.at ?? Infinity)',
        'return Math.min(expiresAt, graceEnds(hold) ?? Infinity)',
      ),
    ],
  },
  {
    name: 'applies-an-answer-to-the-next-question-too',
    patches: [patch(RESOLVE, "cause !== 'lost' && cause !== 'asked')", "cause !== 'lost')")],
  },
  {
    name: 'resumes-without-the-stored-state',
    patches: [patch('core/src/turn/call.ts', 'resumed: { state: call.kept,', 'resumed: { state: undefined,')],
  },
  {
    name: 'reruns-a-resumed-call-without-the-answer',
    patches: [
      patch(
        'core/src/turn/call.ts',
        "attempt: event.attempt, at: 'running' }",
        "attempt: event.attempt, resumed: undefined, at: 'running' }",
      ),
    ],
  },
  {
    name: 'returns-conflict-for-a-stale-answer',
    patches: [
      patch(
        LATE,
        "return notAccepted('stale', `Call ${callId} was ${code} before this answer came.`)",
        "return notAccepted('conflict', `Call ${callId} was ${code} before this answer came.`)",
      ),
    ],
  },
  {
    name: 'prompt-shows-pending-instead-of-results',
    patches: [
      patch(
        'core/src/prompt/render.ts',
        'if (!place) return false',
        "if (!place || callId.endsWith('2')) return false",
      ),
    ],
  },
]
