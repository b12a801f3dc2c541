/** A machine that decides wrongly. */
import { patch, type Bug } from './bug.ts'

const TURN = 'core/src/turn/turn.ts'
const END_TURN = 'core/src/turn/end-turn.ts'
const EXPIRE = 'core/src/turn/expire-hold.ts'
const GRACE = 'core/src/turn/client-grace.ts'
const RESOLVE = 'core/src/turn/resolve.ts'
const LATE = 'core/src/turn/late-answer.ts'
const APPROVERS = 'core/src/turn/approvers.ts'
const LIVE = 'runtime/src/conversation/active-conversation.ts'

export const turnBugs: readonly Bug[] = [
  {
    name: 'asks-the-model-with-a-call-open',
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
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls were left open')",
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls were left open')\n      state = { ...state, queue: [] }",
      ),
    ],
  },
  {
    name: 'leaves-calls-open-when-a-turn-is-cancelled',
    patches: [
      patch(END_TURN, 'const settled = openCalls(turn).map(', 'const settled = openCalls(turn).slice(1).map('),
      patch(TURN, "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls were left open')", ''),
    ],
  },
  {
    name: 'expires-without-looking-at-the-clock',
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
    name: 'gives-up-a-client-before-its-grace-is-over',
    patches: [
      patch(GRACE, 'if (now < (graceEnds(hold, seenAt) ?? Infinity))', 'if (now < 0)'),
      patch(
        'runtime/src/conversation/client-grace.ts',
        'if (grace === undefined || now() < grace)',
        'if (grace === undefined)',
      ),
    ],
  },
  {
    name: 'looks-at-a-grace-only-at-the-deadline',
    patches: [patch('core/src/turn/derive.ts', 'return hold ? lookAt(hold) : at', 'return at')],
  },
  {
    name: 'never-gives-up-a-client',
    patches: [patch('runtime/src/node/connected-clients.ts', 'let last = this.#startedAt', 'let last = Infinity')],
  },
  {
    name: 'accepts-what-came-too-late',
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
    name: 'lets-every-caller-answer',
    patches: [patch(RESOLVE, 'return kinds === undefined || kinds.includes(kind)', 'return true')],
  },
  {
    name: 'looks-at-the-callers-right-before-it-decides',
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
        'const command = { ...read, ...kinds, callId,',
        'const { kinds: _kinds, ...rest } = read\n      const command = { ...rest, callId,',
      ),
    ],
  },
  {
    name: 'lets-a-caller-answer-what-it-knows-nothing-of',
    patches: [
      patch(
        RESOLVE,
        'const kind = open?.kind ?? first?.hold ?? hold?.kind ?? kindBefore(call)',
        'const kind = kindBefore(call)',
      ),
    ],
  },
  {
    name: 'takes-an-answer-for-another-hold-than-it-names',
    patches: [
      patch(RESOLVE, 'const meant = command.hold === undefined || command.hold === call.holds', 'const meant = true'),
    ],
  },
  {
    name: 'is-content-with-one-approver-of-two',
    patches: [
      patch(
        'core/src/turn/approve-hold.ts',
        'if (approvers <= 1) return accepted(...events)',
        'if (approvers <= 2) return accepted(...events)',
      ),
    ],
  },
  {
    name: 'lets-every-person-approve',
    patches: [
      patch(APPROVERS, 'if (named.length === 0) return { ok: true }', 'if (named.length >= 0) return { ok: true }'),
    ],
  },
  {
    name: 'lets-a-stranger-write',
    patches: [patch('core/src/turn/people.ts', "if (seq === 0 || by?.access !== 'own' ||", 'if (seq >= 0 ||')],
  },
  {
    name: 'checks-participants-before-it-decides',
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
    patches: [patch('core/src/turn/base.ts', '...(isKnown(people) && { people }),', '')],
  },
  {
    name: 'counts-the-requester',
    patches: [patch(APPROVERS, 'if (asked(by.id))', 'if (asked(by.id) && by.id === "")')],
  },
  {
    name: 'counts-a-delegate-and-the-person-behind-as-two',
    patches: [
      patch('core/src/turn/quorum.ts', 'return onBehalfOf === undefined ? [by] : [by, onBehalfOf]', 'return [by]'),
    ],
  },
  {
    name: 'accepts-a-delegation-that-is-over',
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
    name: 'forgets-to-look-at-a-route',
    patches: [
      patch(
        'core/src/turn/hold.ts',
        'return Math.min(expiresAt, graceEnds(hold) ?? Infinity, remindAt, escalation?.at ?? Infinity)',
        'return Math.min(expiresAt, graceEnds(hold) ?? Infinity)',
      ),
    ],
  },
  {
    name: 'spends-an-answer-on-the-next-question',
    patches: [patch(RESOLVE, "cause !== 'lost' && cause !== 'asked')", "cause !== 'lost')")],
  },
  {
    name: 'goes-on-without-what-the-handler-kept',
    patches: [patch('core/src/turn/call.ts', 'resumed: { state: call.kept,', 'resumed: { state: undefined,')],
  },
  {
    name: 'forgets-the-answer-when-it-runs-again',
    patches: [
      patch(
        'core/src/turn/call.ts',
        "attempt: event.attempt, at: 'running' }",
        "attempt: event.attempt, resumed: undefined, at: 'running' }",
      ),
    ],
  },
  {
    name: 'tells-a-stale-answer-that-another-came-first',
    patches: [
      patch(
        LATE,
        "return notAccepted('stale', `Call ${callId} was ${code} before this answer came.`)",
        "return notAccepted('conflict', `Call ${callId} was ${code} before this answer came.`)",
      ),
    ],
  },
  {
    name: 'shows-pending-in-place-of-results',
    patches: [
      patch(
        'core/src/prompt/render.ts',
        'if (!place) return false',
        "if (!place || callId.endsWith('2')) return false",
      ),
    ],
  },
]
