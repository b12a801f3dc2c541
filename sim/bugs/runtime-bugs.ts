/** Processes that miss notifications, or neglect their own work. */
import { patch, type Bug } from './bug.ts'

const ENGINE = 'runtime/engine.ts'
const SUBSCRIPTION = 'runtime/subscription.ts'

export const runtimeBugs: readonly Bug[] = [
  {
    name: 'gives-up-a-claim-whose-answer-was-lost',
    patches: [patch('loop/active-log.ts', 'this.#claiming = true\n', '\n')],
  },
  {
    name: 'relies-on-notifications-alone',
    patches: [patch(ENGINE, 'await this.#catchUp()\n', '')],
  },
  {
    name: 'followers-come-back-one-too-late',
    patches: [patch(SUBSCRIPTION, 'this.#seq = after\n', 'this.#seq = after > 0 ? after + 1 : 0\n')],
  },
  {
    name: 'followers-see-events-twice',
    patches: [patch(SUBSCRIPTION, 'else if (item.seq > this.#seq) return', 'else if (item.seq >= this.#seq) return')],
  },
  {
    name: 'followers-hear-only-of-what-is-in-memory',
    patches: [patch(ENGINE, 'await this.subscribers.catchUp()\n', '')],
  },
  {
    name: 'leaves-what-it-cannot-drive-to-who-drove-it-last',
    patches: [patch(ENGINE, 'node: this.node ?? NO_NODE,', '...(this.node !== undefined && { node: this.node }),')],
  },
  {
    name: 'does-not-notice-that-its-lease-is-back',
    patches: [patch('runtime/lease.ts', 'if (this.term !== term) regained()', '')],
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
    name: 'does-not-show-external-calls-that-wait',
    patches: [
      patch(
        'runtime/pending.ts',
        'const hold = holds.find((each) => each.callId === callId)',
        "const hold = holds.find((each) => each.callId === callId && each.kind !== 'external')",
      ),
    ],
  },
]
