/** Processes that miss notifications, or neglect their own work. */
import { patch, type Bug } from './bug.ts'

const ENGINE = 'runtime/src/node/engine.ts'
const SUBSCRIPTION = 'runtime/src/subscribe/subscription.ts'

export const runtimeBugs: readonly Bug[] = [
  {
    name: 'does-not-repeat-a-takeover-whose-answer-was-lost',
    patches: [patch('runtime/src/log/active-log.ts', 'this.#takingOver = true\n', '\n')],
  },
  {
    name: 'never-checks-heads',
    patches: [patch(ENGINE, 'await this.#catchUp()\n', '')],
  },
  {
    name: 'subscribers-miss-one-event-when-they-reconnect',
    patches: [patch(SUBSCRIPTION, 'this.#seq = after\n', 'this.#seq = after > 0 ? after + 1 : 0\n')],
  },
  {
    name: 'subscribers-get-events-twice',
    patches: [patch(SUBSCRIPTION, 'if (item.seq <= this.#seq) continue', 'if (item.seq < this.#seq) continue')],
  },
  {
    name: 'subscribers-get-only-events-in-memory',
    patches: [patch(ENGINE, 'await this.subscribers.catchUp()\n', '')],
  },
  {
    name: 'leaves-a-log-it-cannot-drive-to-the-previous-owner',
    patches: [patch(ENGINE, 'node: this.node ?? NO_NODE,', '...(this.node !== undefined && { node: this.node }),')],
  },
  {
    name: 'does-not-notice-that-its-lease-is-back',
    patches: [patch('runtime/src/node/lease.ts', 'if (this.term !== term) regained()', '')],
  },
  {
    name: 'never-looks-for-work-without-an-owner',
    patches: [
      patch(
        ENGINE,
        'known.map((address) => this.#look(address))',
        "known.map(() => Promise.resolve('useless' as const))",
      ),
    ],
  },
  {
    name: 'leaves-external-calls-out-of-the-pending-list',
    patches: [
      patch(
        'runtime/src/runtime/pending-holds.ts',
        'holds.get(row.conversationId)?.find(({ call }) => call.callId === row.callId)',
        "holds\n      .get(row.conversationId)\n      ?.find(({ call, hold }) => call.callId === row.callId && hold.kind !== 'external')",
      ),
    ],
  },
]
