/** Writers that misread what the store tells them. */
import { patch, type Bug } from './bug.ts'

const LOG = 'runtime/src/log/log.ts'
const ACTIVE = 'runtime/src/conversation/active-conversation.ts'
const WRITES = 'runtime/src/log/writes.ts'
const OWNERSHIP = 'runtime/src/log/ownership.ts'

export const logBugs: readonly Bug[] = [
  {
    name: 'returns-the-verdict-before-the-write-is-durable',
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
    name: 'treats-unknown-as-ok',
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
    name: 'treats-a-conflict-as-ok',
    patches: [
      patch(
        LOG,
        "await this.#writes.retrying(() => this.#confirmOwner(), writer)\n        return 'conflict'",
        "await this.#writes.retrying(() => this.#confirmOwner(), writer)\n        return 'ok'",
      ),
    ],
  },
  {
    name: 'appends-without-the-epoch',
    patches: [
      patch(
        'runtime/src/log/draft.ts',
        "...(writer.as === 'driver' && writer.epoch !== undefined && { epoch: writer.epoch }),",
        '',
      ),
    ],
  },
  {
    name: 'treats-writes-of-others-as-a-lost-ownership',
    patches: [patch(OWNERSHIP, 'this.doubts++\n    this.uncertain = true', 'this.epoch = undefined')],
  },
  {
    name: 'forgets-a-takeover-if-the-next-read-fails',
    patches: [
      patch(
        LOG,
        "await this.#writes.retrying(() => this.refresh(), { as: 'driver', epoch, stop })",
        'await this.refresh()',
      ),
    ],
  },
  {
    name: 'stores-a-base-without-the-queue',
    patches: [patch('core/src/turn/conversation-base.ts', '...(queue.length > 0 && {', '...(queue.length > 99 && {')],
  },
  {
    name: 'leaves-answered-holds-in-the-pending-list',
    patches: [patch('core/src/turn/derive-rows.ts', 'open: open !== undefined,', 'open: true,')],
  },
  {
    name: 'stores-the-last-deadline-instead-of-the-first',
    patches: [patch('core/src/turn/derive-rows.ts', 'Math.min(...deadlines)', 'Math.max(...deadlines)')],
  },
]
