/** Turns that act for another person than the one who asked. */
import { patch, type Bug } from './bug.ts'

const MESSAGE = 'core/src/log/message.ts'
const TURN = 'core/src/turn/turn.ts'
const LIVE = 'runtime/src/conversation/active-conversation.ts'

export const askerBugs: readonly Bug[] = [
  {
    name: 'puts-messages-of-different-people-into-one-turn',
    patches: [
      patch(
        'core/src/turn/decide.ts',
        'const taken = plan.cycle ? state.queue : ofOneAuthor(state.queue).slice(0, most)',
        'const taken = state.queue',
      ),
    ],
  },
  {
    name: 'puts-one-message-too-many-into-a-turn',
    patches: [patch('core/src/turn/decide.ts', 'queue.slice(0, other)', 'queue.slice(0, other + 1)')],
  },
  {
    name: 'acts-for-the-caller-whose-process-drives',
    patches: [
      patch(
        LIVE,
        'host.scope(log.address, turn.by, turn.askedBy)',
        'host.scope(log.address, options.by, turn.askedBy)',
      ),
    ],
  },
  {
    name: 'forgets-the-author-of-a-continued-turn',
    patches: [patch(TURN, '(state.turn.last?.askedBy ?? UNKNOWN_AUTHOR)', 'UNKNOWN_AUTHOR')],
  },
  {
    name: 'forgets-the-author-of-a-call-answered-late',
    patches: [patch(MESSAGE, 'return askedBy ? { askedBy } : {}', 'return {}')],
  },
  {
    name: 'forgets-the-author-of-a-queued-answer',
    patches: [
      patch(
        MESSAGE,
        "return { kind: 'answer', callId, name, outcome, ...askedFor(arrived), ",
        "return { kind: 'answer', callId, name, outcome, ",
      ),
    ],
  },
  {
    name: 'forgets-the-requesters-of-what-an-agent-posts',
    patches: [patch(MESSAGE, "requesters.length > MOST_REQUESTERS ? 'many' : requesters", '[]')],
  },
  {
    name: 'forgets-the-author-of-a-plan',
    patches: [
      patch(
        'core/src/plan/plan-access.ts',
        'const plan: Plan = askedBy ? { ...made.plan, askedBy } : made.plan',
        'const { plan } = made',
      ),
    ],
  },
  {
    name: 'gives-a-cycle-the-rights-of-a-message-author',
    patches: [
      patch(TURN, 'const by = event.cycle ? undefined : askedBy[0]?.by', 'const by = askedBy[0]?.by'),
      patch('runtime/src/node/engine.ts', '{ by: undefined, agent }', '{ by, agent }'),
    ],
  },
  {
    name: 'does-not-pass-the-author-to-the-gate',
    patches: [
      patch(
        'runtime/src/call/tool-context.ts',
        '    askedBy: authorsOfTurn(context),\n    services',
        '    askedBy: [],\n    services',
      ),
    ],
  },
]
