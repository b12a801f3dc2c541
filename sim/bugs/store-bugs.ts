/** Stores that break their contract. */
import { patch, type Bug } from './bug.ts'

const MEMORY = 'core/src/log/memory-store.ts'

export const storeBugs: readonly Bug[] = [
  {
    name: 'writes-without-comparing-seq',
    tamper: (store) => ({
      ...store,
      append: async (write) => {
        const loaded = await store.load(write.to)
        return store.append({ ...write, expectedSeq: loaded?.seq ?? 0, follows: loaded?.hash ?? '' })
      },
    }),
  },
  {
    name: 'ignores-the-epoch',
    patches: [
      patch(MEMORY, "if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }", ''),
    ],
  },
  {
    name: 'forgets-marks',
    patches: [patch(MEMORY, 'there.marks.get(expectedSeq + 1) === write.mark', 'false')],
  },
  {
    name: 'returns-ok-without-writing',
    tamper: (store, random) => ({
      ...store,
      append: async (write) => {
        if (random.chance(0.9)) return store.append(write)
        const events = write.events.map((event, index) => ({
          ...event,
          seq: write.expectedSeq + index + 1,
          at: write.at,
        }))
        return { result: 'ok', events, hash: '', epoch: write.epoch ?? 1, owned: true }
      },
    }),
  },
  {
    name: 'writes-part-of-a-batch',
    tamper: (store, random) => ({
      ...store,
      append: (write) =>
        store.append(
          random.chance(0.9)
            ? write
            : { ...write, events: write.events.slice(0, Math.max(1, write.events.length - 1)) },
        ),
    }),
  },
  {
    name: 'forgets-deadlines',
    patches: [patch(MEMORY, 'wakeAt <= now() || (', '(')],
  },
  {
    name: 'lets-a-node-take-over-from-an-owner-with-a-valid-lease',
    patches: [patch(MEMORY, 'if (isAlive(there.owner)) return undefined', '')],
  },
  {
    name: 'ignores-keys',
    patches: [patch(MEMORY, 'write.key === undefined ? undefined : there.keys.get(write.key)', 'undefined')],
  },
  {
    name: 'load-skips-the-first-event-after-the-base',
    patches: [patch(MEMORY, '(base?.seq ?? 0) - there.erased', '(base ? base.seq + 1 : 0) - there.erased')],
  },
  {
    name: 'read-skips-some-events',
    tamper: (store) => ({
      ...store,
      read: async (from, after, limit) => (await store.read(from, after, limit)).filter(({ seq }) => seq % 11 !== 0),
    }),
  },
]
