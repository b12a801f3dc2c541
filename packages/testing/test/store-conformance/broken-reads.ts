/** Wrong where one conversation is read. */
import type { Store } from '@holdpoint/core'
import type { Broken, Handle } from './broken-store.ts'

export const brokenReads: readonly Broken[] = [
  {
    store: 'takes the base for one of the first event',
    changes: [['seq: head, state', 'seq: expectedSeq + 1, state']],
    caughtBy: ['load: a base is the state after the last event it came with'],
  },
  {
    store: 'takes null for no base',
    changes: [['rows.base !== undefined', 'rows.base != null']],
    caughtBy: ['load: any JSON can be a base: null, false, an empty list'],
  },
  {
    store: 'keeps the first base',
    changes: [['rows.base !== undefined', 'rows.base !== undefined && !there.base']],
    caughtBy: ['load: the newest base replaces the one before'],
  },
  {
    store: 'forgets the base with the next write',
    changes: [['if (rows.base !== undefined) there.base = {', 'there.base = rows.base === undefined ? undefined : {']],
    caughtBy: [
      'load: the newest base replaces the one before',
      'load: with a base, only the events after it are loaded',
    ],
  },
  {
    store: 'loads what the base has already',
    changes: [['events: events.slice(after)', 'events: events.slice()']],
    caughtBy: ['load: a base is the state after the last event it came with'],
  },
  {
    store: 'loads what is not there',
    changes: [
      [
        'if (!there) return undefined\n      const { agent',
        `if (!there) return { seq: 0, agent: '', events: [] }\n      const { agent`,
      ],
    ],
    caughtBy: ['load: a conversation without events cannot be loaded'],
  },
  {
    store: 'reads the event it should read after',
    changes: [['slice(Math.max(0, after - erased)).', 'slice(Math.max(0, after - erased - 1)).']],
    caughtBy: ['read: reading continues after the given seq, even in the middle of an append'],
  },
  {
    store: 'finds only open calls by their id',
    changes: [['holds.has(callId)', 'holds.get(callId)?.open']],
    caughtBy: ['call: a call is found by its id alone, open or closed, in its own tenant'],
  },
  {
    store: 'finds the calls of every tenant',
    changes: [['address.tenant === tenant && holds.has(', 'holds.has(']],
    caughtBy: ['call: a call is found by its id alone, open or closed, in its own tenant'],
  },
  {
    store: 'reads more than asked for',
    changes: [['slice(0, limit)\n    },\n    readBack', 'slice(0, limit + 1)\n    },\n    readBack']],
    caughtBy: ['read: reading stops at the limit, but returns at least one event'],
  },
  {
    store: 'reads a page and no more',
    changes: [
      [
        'slice(0, limit)\n    },\n    readBack',
        'slice(0, Math.max(0, Math.min(100 - after, limit)))\n    },\n    readBack',
      ],
    ],
    caughtBy: [
      'append: five hundred events of one append have consecutive seqs',
      'read: paging through a log finds everything once, whatever the size of the page',
    ],
  },
  {
    store: 'reads from the start of a write',
    changes: [
      [
        'slice(Math.max(0, after - erased))',
        'slice([...there_(from).marks.keys()].findLast((seq) => seq <= after + 1) - 1 || 0)',
      ],
      ['const lives =', 'const there_ = (address) => get(address) ?? { marks: new Map() }\n const lives ='],
    ],
    caughtBy: ['read: reading continues after the given seq, even in the middle of an append'],
  },
  {
    store: 'reads back one too far',
    handle: readingBack((inner, from, before, limit) => inner(from, before + 1, limit)),
    caughtBy: [
      'read: reading back ends right before the given seq, with at least as many as asked for',
      'read: paging back through a log finds everything once',
    ],
  },
  {
    store: 'reads back one too few',
    handle: readingBack(async (inner, from, before, limit) => (await inner(from, before, limit)).slice(1)),
    caughtBy: ['read: reading back ends right before the given seq, with at least as many as asked for'],
  },
  {
    store: 'reads back from where it is told, though nothing is there',
    handle: readingBack(async (inner, from, before, limit) =>
      (await inner(from, before, limit)).filter(({ seq }) => seq >= before - limit),
    ),
    caughtBy: ['read: reading back from beyond the end returns the last events'],
  },
  {
    store: 'reads back the wrong way round',
    handle: readingBack(async (inner, from, before, limit) => (await inner(from, before, limit)).toReversed()),
    caughtBy: ['read: reading back ends right before the given seq, with at least as many as asked for'],
  },
  {
    store: 'reads calls that never waited',
    changes: [[`?? []) ?? []\n    },`, `?? []) ?? there?.events ?? []\n    },`]],
    caughtBy: ['call: a call that was never held has no events to read'],
  },
  {
    store: 'reads open calls only',
    changes: [['there?.holds.get(callId)?.seqs', '[there?.holds.get(callId)].find((hold) => hold?.open)?.seqs']],
    caughtBy: ['call: a call that is closed in its first append can be read'],
  },
  {
    store: 'reads calls as they first waited',
    changes: [
      [
        'there.holds.set(row.callId, row)',
        'there.holds.set(row.callId, { ...row, seqs: there.holds.get(row.callId)?.seqs ?? row.seqs })',
      ],
    ],
    caughtBy: ['call: the events of a call are read, wherever they are in the log'],
  },
  {
    store: 'tells no head twice',
    changes: [
      [
        'of.map((address)',
        '[...new Set(of.map(keyOf))].map((text) => JSON.parse(text)).map(([tenant, id]) => ({ tenant, id })).map((address)',
      ],
    ],
    caughtBy: ['heads: heads are returned in the order of the query, 0 for a conversation without events'],
  },
  {
    store: 'tells the heads it knows',
    changes: [
      [
        'return there ? headOf(there) : 0\n      })',
        'return there ? headOf(there) : 0\n      }).filter((head) => head > 0)',
      ],
    ],
    caughtBy: ['heads: a query can ask for a thousand heads'],
  },
  {
    store: 'cannot read what is not there',
    changes: [['get(from) ?? {}\n      return events.slice(Math', 'get(from)\n      return events.slice(Math']],
    throws: 'Cannot read properties of undefined',
    caughtBy: ['read: reading a conversation without events finds nothing'],
  },
]

type ReadBack = Store['readBack']

function readingBack(
  readBack: (inner: ReadBack, ...given: Parameters<ReadBack>) => ReturnType<ReadBack>,
): (inner: Store) => Handle {
  return (inner) => ({ store: { ...inner, readBack: (...given) => readBack(inner.readBack, ...given) } })
}
