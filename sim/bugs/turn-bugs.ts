/** A machine that decides wrongly. */
import { patch, type Bug } from './bug.ts'

const TURN = 'turn/turn.ts'
const DECIDE = 'turn/decide.ts'
const RESOLVE = 'turn/resolve.ts'
const LIVE = 'loop/active-conversation.ts'

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
      patch(DECIDE, 'const settled = openCalls(turn).map(', 'const settled = openCalls(turn).slice(1).map('),
      patch(TURN, "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls were left open')", ''),
    ],
  },
  {
    name: 'expires-without-looking-at-the-clock',
    patches: [
      patch(DECIDE, "if (now < hold.expiresAt) return refuse('not-due'", "if (now < 0) return refuse('not-due'"),
      patch(
        'loop/conversation-performer.ts',
        'ports.now() >= effect.at ? eventsOf(decideExpire(',
        'ports.now() >= 0 ? eventsOf(decideExpire(',
      ),
    ],
  },
  {
    name: 'gives-up-a-client-before-its-grace-is-over',
    patches: [
      patch(DECIDE, 'if (now < (graceEnds(hold, seenAt) ?? Infinity))', 'if (now < 0)'),
      patch('loop/absence.ts', 'if (grace === undefined || now() < grace)', 'if (grace === undefined)'),
    ],
  },
  {
    name: 'looks-at-a-grace-only-at-the-deadline',
    patches: [patch('turn/derive.ts', 'return hold ? lookAt(hold) : at', 'return at')],
  },
  {
    name: 'never-gives-up-a-client',
    patches: [patch('runtime/clients.ts', 'let last = this.#startedAt', 'let last = Infinity')],
  },
  {
    name: 'accepts-what-came-too-late',
    patches: [
      patch(RESOLVE, "return no('expired', `Call ${callId} expired before this answer came.`)", 'return yes()'),
    ],
  },
  {
    name: 'accepts-a-second-answer',
    patches: [
      patch(
        RESOLVE,
        'if (first) return sameAnswer(first.resolution, command.resolution) ? duplicate(first) : conflict(first)',
        'if (first) return yes()',
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
        'const changed = await this.log.change(async () => {\n      const command',
        `const before = { ...read, callId, now: this.agent.ports.now() }
    const early = await judge(await this.log.find(callId), before, this.#context({}))
    if (early.verdict === 'not-allowed') return early
    const changed = await this.log.change(async () => {
      const command`,
      ),
      patch(
        LIVE,
        'const command = { ...read, callId,',
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
    patches: [patch(RESOLVE, 'if (approvers <= 1) return yes(...events)', 'if (approvers <= 2) return yes(...events)')],
  },
  {
    name: 'spends-an-answer-on-the-next-question',
    patches: [patch(RESOLVE, "cause !== 'lost' && cause !== 'asked')", "cause !== 'lost')")],
  },
  {
    name: 'goes-on-without-what-the-handler-kept',
    patches: [patch('turn/call.ts', 'resumed: { state: call.kept,', 'resumed: { state: undefined,')],
  },
  {
    name: 'forgets-the-answer-when-it-runs-again',
    patches: [
      patch(
        'turn/call.ts',
        "attempt: event.attempt, at: 'running' }",
        "attempt: event.attempt, resumed: undefined, at: 'running' }",
      ),
    ],
  },
  {
    name: 'tells-a-stale-answer-that-another-came-first',
    patches: [
      patch(
        RESOLVE,
        "return no('stale', `Call ${callId} was ${code} before this answer came.`)",
        "return no('conflict', `Call ${callId} was ${code} before this answer came.`)",
      ),
    ],
  },
  {
    name: 'shows-pending-in-place-of-results',
    patches: [
      patch('prompt/render.ts', 'if (!place) return false', "if (!place || callId.endsWith('2')) return false"),
    ],
  },
]
