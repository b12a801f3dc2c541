/** Deliveries that are missing or duplicated, false displays in spaces, and plans that fire at the wrong time. */
import { patch, type Bug } from './bug.ts'

const SPACES = 'spaces/src/space/space-writer.ts'
const NOTICES = 'core/src/turn/show-in-spaces.ts'
const SPACE_MACHINE = 'spaces/src/space/space-machine.ts'
const BASE = 'core/src/turn/base.ts'
const TURN = 'core/src/turn/turn.ts'
const PLAN = 'core/src/plan/plan-fires.ts'

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
        'runtime/src/drive/deliver-notices.ts',
        'await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, worker))',
        'void Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, worker))',
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
    name: 'delivers-a-message-to-its-own-sender',
    patches: [
      patch(
        SPACE_MACHINE,
        "kind === 'agent' && !(from.kind === 'agent' && from.id === id) ? [id] : []",
        "kind === 'agent' ? [id] : []",
      ),
    ],
  },
  {
    name: 'tells-the-newest-first',
    patches: [patch('runtime/src/drive/deliver-notices.ts', 'all.push(delivery)', 'all.unshift(delivery)')],
  },
  {
    name: 'drops-messages-for-an-agent-of-another-node',
    patches: [
      patch(
        SPACES,
        'return write(new ConversationLog(address, this.#engine.store, this.#engine.ports, { node: NO_NODE }))',
        'return false',
      ),
    ],
  },
  {
    name: 'lets-agents-talk-for-ever',
    patches: [
      patch('spaces/src/space/decide-space.ts', "from.kind === 'agent' && space.chain >= space.agentMessages", 'false'),
    ],
  },
  {
    name: 'wakes-others-although-it-is-quiet',
    patches: [
      patch(SPACE_MACHINE, "event.type !== 'message.posted' || event.quiet", "event.type !== 'message.posted'"),
    ],
  },
  {
    name: 'says-a-message-again-when-its-call-runs-again',
    patches: [patch(SPACES, '`call:${callId}`)', '`call:${callId}:${this.#engine.ports.id()}`)')],
  },
  {
    name: 'posts-what-is-sent-twice-twice',
    patches: [
      patch(
        'spaces/src/space/spaces.ts',
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
    patches: [patch('core/src/turn/call.ts', '...(inSpace?.shown && { shownIn: inSpace.space }), ', '')],
  },
  {
    name: 'shows-a-call-again-that-is-held-again',
    patches: [patch(NOTICES, "call.at === 'ready' && call.holds === 0 && call.attempt === 0", "call.at === 'ready'")],
  },
  {
    name: 'stays-active-after-its-cycle',
    patches: [
      patch(NOTICES, "const now = after.turn.phase === 'rest' ? undefined : after.space", 'const now = after.space'),
    ],
  },
  {
    name: 'delivers-to-the-current-members-only',
    patches: [patch('spaces/src/space/space.ts', 'members.delete(memberKey(event.member))', '')],
  },
  {
    name: 'fires-a-plan-by-what-it-read-before',
    patches: [
      patch(
        'runtime/src/conversation/fire-plans.ts',
        'for (const { id, nextAt } of log.state.plans.values())',
        'const before = log.state\n  for (const { id, nextAt } of before.plans.values())',
      ),
      patch(
        'runtime/src/conversation/fire-plans.ts',
        'log.change((state) => withEvents(decideFire(state, id, now(), dueTimes(ports))))',
        'log.change(() => withEvents(decideFire(before, id, now(), dueTimes(ports))))',
      ),
    ],
  },
  {
    name: 'fires-a-plan-again-that-was-changed',
    patches: [
      patch(
        'core/src/turn/evolve-plans.ts',
        'return same ? before.nextAt : given',
        'return same ? Math.min(before.nextAt, given) - 45_000 : given',
      ),
    ],
  },
  {
    name: 'fires-plans-before-their-time',
    patches: [
      patch('core/src/turn/fire-plan.ts', 'if (!plan || now < plan.nextAt)', 'if (!plan || now + 5000 < plan.nextAt)'),
      patch(
        'core/src/turn/fire-plan.ts',
        '= planFires(plan, now, nextTime)',
        '= planFires(plan, now + 5000, nextTime)',
      ),
      patch(
        'runtime/src/conversation/conversation-performer.ts',
        'return ports.now() >= effect.at\n          ? eventsOfDecision(decideFire(',
        'return ports.now() >= effect.at - 5000\n          ? eventsOfDecision(decideFire(',
      ),
      patch(
        'runtime/src/conversation/fire-plans.ts',
        'if (now() >= nextAt) await',
        'if (now() >= nextAt - 5000) await',
      ),
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
        'core/src/turn/derive.ts',
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
