/** Writers that misread what the store tells them. */
import { patch, type Bug } from './bug.ts'

const LOG = 'runtime/src/log/log.ts'
const ACTIVE = 'runtime/src/conversation/active-conversation.ts'
const WRITES = 'runtime/src/log/writes.ts'
const OWNERSHIP = 'runtime/src/log/ownership.ts'

export const logBugs: readonly Bug[] = [
  {
    name: 'tells-the-verdict-before-it-is-durable',
    patches: [
      patch(
        ACTIVE,
        'return { ...(await checkResolution(call, command, context)), ...(call && { recalled: [call] }) }',
        `const decided = await checkResolution(call, command, context)
      const recalled = call ? [call] : []
      if (decided.events.length > 0) this.log.append(decided.events, undefined, recalled).catch(() => {})
      return { ...decided, events: [], recalled }`,
      ),
    ],
  },
  {
    name: 'uses-a-new-mark-for-each-retry',
    patches: [
      patch(
        WRITES,
        'await this.#store.append(write)',
        'await this.#store.append({ ...write, mark: this.#ports.id() })',
      ),
    ],
  },
  {
    name: 'takes-unknown-for-ok',
    patches: [
      patch(
        WRITES,
        "if (answer.result !== 'failed' && answer.result !== 'unknown') return answer",
        `if (answer.result === 'unknown') {
          const events = write.events.map((event, n) => ({ ...event, seq: write.expectedSeq + n + 1, at: write.at }))
          return { result: 'ok', events, epoch: this.ownership.epoch ?? 1, owned: true }
        }
        if (answer.result !== 'failed') return answer`,
      ),
    ],
  },
  {
    name: 'takes-a-conflict-for-ok',
    patches: [patch(LOG, "return 'conflict'", "return 'ok'")],
  },
  {
    name: 'drives-without-its-epoch',
    patches: [
      patch(
        'runtime/src/log/draft.ts',
        "...(writer.as === 'driver' && writer.epoch !== undefined && { epoch: writer.epoch }),",
        '',
      ),
    ],
  },
  {
    name: 'takes-what-others-wrote-for-a-change-of-hands',
    patches: [patch(OWNERSHIP, 'this.doubts++\n    this.uncertain = true', 'this.epoch = undefined')],
  },
  {
    name: 'forgets-a-claim-when-it-cannot-read-on',
    patches: [
      patch(
        LOG,
        "await this.#writes.retrying(() => this.refresh(), { as: 'driver', epoch, stop })",
        'await this.refresh()',
      ),
    ],
  },
  {
    name: 'keeps-a-base-without-the-queue',
    patches: [patch('core/src/turn/base.ts', '...(queue.length > 0 && {', '...(queue.length > 99 && {')],
  },
  {
    name: 'leaves-answered-holds-among-the-open',
    patches: [patch('core/src/turn/derive.ts', 'open: open !== undefined,', 'open: true,')],
  },
  {
    name: 'has-only-the-last-deadline-watched',
    patches: [patch('core/src/turn/derive.ts', 'Math.min(...deadlines)', 'Math.max(...deadlines)')],
  },
]
