/** Bugs that show when the store loses writes, is divided, fails over, is damaged, or is restored. */
import { patch, type Bug } from './bug.ts'

const MEMORY = 'core/src/log/memory-store.ts'
const LOG = 'runtime/src/log/log.ts'
const HEADS = 'runtime/src/log/known-heads.ts'
const SERVER = 'runtime/src/node/server-changes.ts'
const SUBSCRIBERS = 'runtime/src/subscribe/subscribers.ts'
const STANDBY = 'testing/src/sim/standby.ts'
const DAMAGE = 'testing/src/sim/damage.ts'
const RESTORED = 'core/src/turn/restored.ts'
const TURN = 'core/src/turn/turn.ts'

export const mishapBugs: readonly Bug[] = [
  {
    name: 'compares-only-the-seq-of-an-append',
    mishap: 'rollback',
    patches: [
      patch(MEMORY, 'newest.seq !== expectedSeq || newest.hash !== write.follows', 'newest.seq !== expectedSeq'),
      patch(
        MEMORY,
        'if (seq > there.erased && (there.writes.get(seq)?.hash ?? NO_HASH) !== hash) return undefined',
        '',
      ),
    ],
  },
  {
    name: 'keeps-its-memory-after-a-rollback',
    mishap: 'rollback',
    patches: [patch(LOG, '    this.#state = this.machine.empty\n', '')],
  },
  {
    name: 'does-not-report-what-the-store-lost',
    mishap: 'rollback',
    patches: [patch(LOG, '    this.#options.rolledBack?.(problem, this.address)\n', '')],
  },
  {
    name: 'reports-more-lost-events-than-there-were',
    mishap: 'rollback',
    patches: [patch(HEADS, "return next ? 'at most ' : ''", "return next ? '' : ''")],
  },
  {
    name: 'lets-a-reader-wait-for-events-that-are-lost',
    mishap: 'rollback',
    patches: [
      patch(
        SUBSCRIBERS,
        'if (head < known[index]!) subscription.fail(lostEvents(subscription, head))\n      else ',
        '',
      ),
    ],
  },
  {
    name: 'does-not-compare-with-another-server',
    mishap: 'rollback',
    patches: [patch(SERVER, '    if (what === undefined) return\n', '    if (what !== null) return\n')],
  },
  {
    name: 'forgets-the-logs-that-left-memory-before-a-fail-over',
    mishap: 'split',
    patches: [patch(SERVER, '      for (const address of before) await look(address)\n', '')],
  },
  {
    name: 'says-ok-again-before-the-standby-has-it',
    mishap: 'standby',
    patches: [
      patch(
        STANDBY,
        "    if (answer.result !== 'ok' && answer.result !== 'repeated') return answer\n",
        "    if (answer.result !== 'ok' || this.#truth.writeOf(write.to.id, write.expectedSeq + 1) < this.#truth.writes) return answer\n",
      ),
    ],
  },
  {
    name: 'says-duplicate-before-the-standby-has-it',
    mishap: 'standby',
    patches: [patch(LOG, 'if (this.#state === state && this.store.confirm)', 'if (false && this.store.confirm)')],
  },
  {
    name: 'takes-an-ended-wait-for-an-acknowledgement',
    mishap: 'standby',
    patches: [patch(STANDBY, "return { result: 'unknown', why: ENDED }", 'return answer')],
  },
  {
    name: 'appends-with-the-settings-of-another-application',
    mishap: 'standby',
    patches: [patch(STANDBY, '...this.#session(), ...OWN', '...OWN, ...this.#session()')],
  },
  {
    name: 'does-not-check-the-chain-of-what-it-reads',
    mishap: 'flip',
    patches: [patch(DAMAGE, 'return sha256(chainText(before, batch)) === batch.hash', "return before !== 'a'")],
  },
  {
    name: 'hides-damage',
    mishap: 'flip',
    patches: [
      patch(
        'runtime/src/node/engine.ts',
        "if (!this.closing) this.problem(error, address)\n      return 'not-helped'",
        "return 'not-helped'",
      ),
    ],
  },
  {
    name: 'runs-started-calls-again-after-a-restore',
    mishap: 'restore',
    patches: [patch(RESTORED, 'idle ? accept() : accept({', "idle || turn.phase !== 'rest' ? accept() : accept({")],
  },
  {
    name: 'calls-the-model-by-itself-after-a-restore',
    mishap: 'restore',
    patches: [
      patch(TURN, 'return restored ? [endedByRestore(turn)] : nextForModel(turn)', 'return nextForModel(turn)'),
    ],
  },
]
