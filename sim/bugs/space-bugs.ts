/** Deliveries that are missing or duplicated, false displays in spaces, and plans that fire at the wrong time. */
import { patch, type Bug } from './bug.ts'

const SPACES = 'spaces/src/space/space-writer.ts'
const NOTICES = 'core/src/turn/show-in-spaces.ts'
const SPACE_MACHINE = 'spaces/src/space/space-machine.ts'
const BASE = 'core/src/turn/conversation-base.ts'
const TURN = 'core/src/turn/turn.ts'
const PLAN = 'core/src/plan/times-to-fire.ts'

export const spaceBugs: readonly Bug[] = [
  {
    name: 'delivers-to-an-agent-without-a-key',
    patches: [
      patch(
        SPACES,
        'withEvents(decideInbox(state, agent, item)), item.id)',
        'withEvents(decideInbox(state, agent, item)))',
      ),
    ],
  },
  {
    name: 'delivers-to-a-space-without-a-key',
    patches: [patch(SPACES, ', `told:${from}:${n}`)', ')')],
  },
  {
    name: 'marks-notices-as-delivered-before-delivery',
    patches: [
      patch(
        'runtime/src/drive/deliver-notices.ts',
        'await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, worker))',
        'void Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, worker))',
      ),
    ],
  },
  {
    name: 'marks-newer-notices-as-delivered-too',
    patches: [patch(TURN, 'outbox: state.outbox.slice(event.count)', 'outbox: []')],
  },
  {
    name: 'forgets-the-outbox-at-rest',
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
    name: 'delivers-the-newest-notice-first',
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
    name: 'does-not-limit-messages-between-agents',
    patches: [
      patch('spaces/src/space/decide-space.ts', "from.kind === 'agent' && space.chain >= space.agentMessages", 'false'),
    ],
  },
  {
    name: 'wakes-agents-for-quiet-messages',
    patches: [
      patch(SPACE_MACHINE, "event.type !== 'message.posted' || event.quiet", "event.type !== 'message.posted'"),
    ],
  },
  {
    name: 'posts-a-message-again-when-its-call-reruns',
    patches: [patch(SPACES, '`call:${callId}`)', '`call:${callId}:${this.#engine.ports.id()}`)')],
  },
  {
    name: 'ignores-the-key-of-a-post',
    patches: [
      patch(
        'spaces/src/space/spaces.ts',
        "`post:${checkId('A key', key)}`",
        "`post:${checkId('A key', key)}:${this.#engine.ports.id()}`",
      ),
    ],
  },
  {
    name: 'refuses-a-repeated-post-it-accepted-before',
    patches: [
      patch(
        SPACES,
        'const before = decision.ok || key === undefined ? undefined : await log.findKey(key)',
        'const before = undefined',
      ),
    ],
  },
  {
    name: 'forgets-the-inbox-when-a-cycle-is-skipped',
    patches: [
      patch(
        TURN,
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls are open')",
        "if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls are open')\n      if (event.reason === 'skipped') state = { ...state, queue: [] }",
      ),
    ],
  },
  {
    name: 'shows-a-held-async-call-as-done',
    patches: [
      patch(
        NOTICES,
        "if (call.at === 'held' && call.hold.async && !event.resolution && event.outcome.ok) return []",
        '',
      ),
    ],
  },
  {
    name: 'does-not-show-late-answers-in-the-space',
    patches: [patch('core/src/turn/call.ts', '...(inSpace?.shown && { shownIn: inSpace.space }), ', '')],
  },
  {
    name: 'shows-a-call-again-when-it-is-held-again',
    patches: [patch(NOTICES, "call.at === 'ready' && call.holds === 0 && call.attempt === 0", "call.at === 'ready'")],
  },
  {
    name: 'agent-stays-active-after-its-cycle',
    patches: [
      patch(NOTICES, "const now = after.turn.phase === 'rest' ? undefined : after.space", 'const now = after.space'),
    ],
  },
  {
    name: 'does-not-remove-members-who-leave',
    patches: [patch('spaces/src/space/space.ts', 'members.delete(memberKey(event.member))', '')],
  },
  {
    name: 'decides-a-plan-fire-on-an-old-state',
    patches: [
      patch(
        'runtime/src/conversation/fire-due-plans.ts',
        'for (const { id, nextAt } of log.state.plans.values())',
        'const before = log.state\n  for (const { id, nextAt } of before.plans.values())',
      ),
      patch(
        'runtime/src/conversation/fire-due-plans.ts',
        'log.change((state) => withEvents(decidePlanFire(state, id, now(), dueTimes(ports))))',
        'log.change(() => withEvents(decidePlanFire(before, id, now(), dueTimes(ports))))',
      ),
    ],
  },
  {
    name: 'fires-a-changed-plan-again-for-a-past-time',
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
      patch(
        'core/src/turn/decide-plan-fire.ts',
        'if (!plan || now < plan.nextAt)',
        'if (!plan || now + 5000 < plan.nextAt)',
      ),
      patch(
        'core/src/turn/decide-plan-fire.ts',
        '= timesToFire(plan, now, nextTime)',
        '= timesToFire(plan, now + 5000, nextTime)',
      ),
      patch(
        'runtime/src/conversation/conversation-performer.ts',
        'return ports.now() >= effect.at\n          ? eventsOfDecision(decidePlanFire(',
        'return ports.now() >= effect.at - 5000\n          ? eventsOfDecision(decidePlanFire(',
      ),
      patch(
        'runtime/src/conversation/fire-due-plans.ts',
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
    name: 'stores-no-deadline-for-plans',
    patches: [
      patch(
        'core/src/turn/derive-rows.ts',
        "(effect.do === 'expire-hold' ? deadlineOf(state, effect) : effect.at)",
        "(effect.do === 'expire-hold' ? deadlineOf(state, effect) : Infinity)",
      ),
    ],
  },
  {
    name: 'missed-once-fires-every-missed-time',
    patches: [patch(PLAN, 'return times.slice(-1)', 'return times')],
  },
  {
    name: 'missed-all-fires-one-missed-time',
    patches: [patch(PLAN, "case 'all':\n      return times", "case 'all':\n      return times.slice(0, 1)")],
  },
  {
    name: 'missed-none-fires-a-missed-time',
    patches: [
      patch(PLAN, 'return times.filter((time) => now - time <= MISSED_AFTER_MS).slice(-1)', 'return times.slice(-1)'),
    ],
  },
]
