/** Agents that are not told, are told twice, or are shown as what they are not; and plans that fire as they like. */
import { patch, type Bug } from './bug.ts'

const SPACES = 'runtime/spaces.ts'
const NOTICES = 'turn/notices.ts'
const BASE = 'turn/base.ts'
const TURN = 'turn/turn.ts'
const PLAN = 'plan/plan.ts'

export const spaceBugs: readonly Bug[] = [
  {
    name: 'tells-an-agent-without-a-key',
    patches: [
      patch(SPACES, "'repeated' in (await log.change(decide, item.id))", "'repeated' in (await log.change(decide))"),
    ],
  },
  {
    name: 'tells-a-space-without-a-key',
    patches: [patch(SPACES, ', `told:${from}:${n}`)', ')')],
  },
  {
    name: 'says-that-it-told-before-it-tells',
    patches: [
      patch(
        'loop/tell.ts',
        'await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, teller))',
        'void Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, teller))',
      ),
    ],
  },
  {
    name: 'takes-all-for-told-that-came-meanwhile',
    patches: [patch(TURN, 'outbox: state.outbox.slice(event.count)', 'outbox: []')],
  },
  {
    name: 'forgets-what-is-to-be-told-at-rest',
    patches: [patch(BASE, '...(outbox.length > 0 && { outbox }),', '')],
  },
  {
    name: 'wakes-whoever-said-it',
    patches: [
      patch(
        NOTICES,
        "kind === 'agent' && !(from.kind === 'agent' && from.id === id) ? [id] : []",
        "kind === 'agent' ? [id] : []",
      ),
    ],
  },
  {
    name: 'tells-the-newest-first',
    patches: [patch('loop/tell.ts', 'all.push(telling)', 'all.unshift(telling)')],
  },
  {
    name: 'drops-what-is-for-an-agent-that-lives-elsewhere',
    patches: [
      patch(
        SPACES,
        'return write(new Log(address, this.#engine.store, this.#engine.ports, { node: this.#nobody }))',
        'return false',
      ),
    ],
  },
  {
    name: 'lets-agents-talk-for-ever',
    patches: [patch('space/decide-space.ts', "from.kind === 'agent' && space.chain >= space.agentMessages", 'false')],
  },
  {
    name: 'wakes-others-although-it-is-quiet',
    patches: [patch(NOTICES, "event.type !== 'message.posted' || event.quiet", "event.type !== 'message.posted'")],
  },
  {
    name: 'says-a-message-again-when-its-call-runs-again',
    patches: [patch(SPACES, '`call:${callId}`)', '`call:${callId}:${this.#engine.ports.id()}`)')],
  },
  {
    name: 'posts-what-is-sent-twice-twice',
    patches: [
      patch(
        'runtime/space-room.ts',
        "`post:${checkId('A key', key)}`",
        "`post:${checkId('A key', key)}:${this.#engine.ports.id()}`",
      ),
    ],
  },
  {
    name: 'refuses-what-it-took-before',
    patches: [
      patch(
        SPACES,
        'const before = decision.ok || key === undefined ? undefined : await log.findKey(key)',
        'const before = undefined',
      ),
    ],
  },
  {
    name: 'forgets-the-inbox-when-it-skips',
    patches: [
      patch(
        TURN,
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls were left open')",
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls were left open')\n      if (event.reason === 'skipped') state = { ...state, queue: [] }",
      ),
    ],
  },
  {
    name: 'shows-that-a-call-is-done-while-it-waits',
    patches: [
      patch(
        NOTICES,
        "if (call.at === 'held' && call.hold.async && !event.resolution && event.outcome.ok) return []",
        '',
      ),
    ],
  },
  {
    name: 'does-not-show-answers-that-come-late',
    patches: [
      patch('turn/call.ts', 'return place?.shown ? { shownIn: place.space } : {}', 'return place?.shown ? {} : {}'),
    ],
  },
  {
    name: 'shows-a-call-again-that-is-held-again',
    patches: [patch(NOTICES, "call.at === 'ready' && call.holds === 0 && call.attempt === 0", "call.at === 'ready'")],
  },
  {
    name: 'stays-active-after-its-cycle',
    patches: [
      patch(NOTICES, "const now = after.turn.phase === 'rest' ? undefined : after.place", 'const now = after.place'),
    ],
  },
  {
    name: 'tells-whoever-is-there-now',
    patches: [patch('space/space.ts', 'members.delete(memberKey(event.member))', '')],
  },
  {
    name: 'fires-a-plan-by-what-it-read-before',
    patches: [
      patch(
        'loop/live-conversation.ts',
        'for (const { id, nextAt } of this.log.state.plans.values())',
        'const before = this.log.state\n    for (const { id, nextAt } of before.plans.values())',
      ),
      patch(
        'loop/live-conversation.ts',
        'this.log.change((state) => eventsOf(decideFire(state, id, now(), nextTime)))',
        'this.log.change(() => eventsOf(decideFire(before, id, now(), nextTime)))',
      ),
    ],
  },
  {
    name: 'fires-a-plan-again-that-was-changed',
    patches: [
      patch(
        'turn/plans.ts',
        'return same ? before.nextAt : given',
        'return same ? Math.min(before.nextAt, given) - 45_000 : given',
      ),
    ],
  },
  {
    name: 'fires-plans-before-their-time',
    patches: [
      patch('turn/decide.ts', 'if (!plan || now < plan.nextAt)', 'if (!plan || now + 5000 < plan.nextAt)'),
      patch('turn/decide.ts', '= fire(plan, now, nextTime)', '= fire(plan, now + 5000, nextTime)'),
      patch(
        'loop/driver.ts',
        'ports.now() >= effect.at ? eventsOf(decideFire(',
        'ports.now() >= effect.at - 5000 ? eventsOf(decideFire(',
      ),
      patch('loop/live-conversation.ts', 'if (now() >= nextAt) await', 'if (now() >= nextAt - 5000) await'),
    ],
  },
  {
    name: 'forgets-plans-at-rest',
    patches: [patch(BASE, '...(plans.size > 0 && { plans: [...plans.values()] }),', '')],
  },
  {
    name: 'does-not-say-when-plans-are-due',
    patches: [
      patch(
        'turn/derive.ts',
        "(effect.do === 'expire-hold' ? deadlineOf(state, effect) : effect.at)",
        "(effect.do === 'expire-hold' ? deadlineOf(state, effect) : Infinity)",
      ),
    ],
  },
  {
    name: 'fires-every-time-that-was-missed',
    patches: [patch(PLAN, 'return times.slice(-1)', 'return times')],
  },
  {
    name: 'fires-one-of-all-that-were-missed',
    patches: [patch(PLAN, "case 'all':\n      return times", "case 'all':\n      return times.slice(0, 1)")],
  },
  {
    name: 'fires-what-was-missed-although-none-was-wanted',
    patches: [
      patch(PLAN, 'return times.filter((time) => now - time <= MISSED_AFTER_MS).slice(-1)', 'return times.slice(-1)'),
    ],
  },
]
