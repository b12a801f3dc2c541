/** A machine that decides wrongly. */
import { patch, type Bug } from './bug.ts'

const TURN = 'turn/turn.ts'
const DECIDE = 'turn/decide.ts'
const RESOLVE = 'turn/resolve.ts'

export const turnBugs: readonly Bug[] = [
  {
    name: 'asks-the-model-with-a-call-open',
    patches: [
      patch(
        TURN,
        "const open = [...calls.values()].some((each) => each.at !== 'settled')",
        "const open = [...calls.values()].filter((each) => each.at !== 'settled').length > 1",
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
        'loop/drive.ts',
        'ports.now() >= effect.at ? eventsOf(decideExpire(',
        'ports.now() >= 0 ? eventsOf(decideExpire(',
      ),
    ],
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
    name: 'is-content-with-one-approver-of-two',
    patches: [patch(RESOLVE, 'if (approvers <= 1) return yes(...events)', 'if (approvers <= 2) return yes(...events)')],
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
