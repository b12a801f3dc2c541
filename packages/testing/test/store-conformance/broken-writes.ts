/** Wrong where it is written: all or nothing, at its seq, once. */
import type { Broken } from './broken-store.ts'

const repeatedFirst = `if (repeated !== undefined) return { result: 'repeated', seq: repeated }`

export const brokenWrites: readonly Broken[] = [
  // the write
  {
    store: 'writes wherever the end is',
    changes: [['movedFrom(there, write)', 'false']],
    caughtBy: ['append: an append below the last seq is a conflict'],
  },
  {
    store: 'takes a seq beyond the end',
    changes: [['movedFrom(there, write)', 'headOf(there) > expectedSeq']],
    caughtBy: ['append: an append beyond the last seq is a conflict'],
  },
  {
    store: 'leaves the first event of a conflict behind',
    changes: [
      [
        'if (!mine) return',
        'if (!mine && events.length > 1) there.events.push({ ...events[0], seq: 9, at })\n if (!mine) return',
      ],
    ],
    caughtBy: [
      'append: a conflict writes no event and no row',
      'race: of many first writes to a new conversation, one wins',
    ],
  },
  {
    store: 'leaves the rows of a conflict behind',
    changes: [['if (!mine) return', 'if (!mine) there.status = rows.status\n if (!mine) return']],
    caughtBy: ['append: a conflict writes no event and no row'],
  },
  {
    store: 'makes a conversation of a conflict',
    changes: [['if (!mine) return', 'all.set(keyOf(to), there)\n if (!mine) return']],
    caughtBy: ['append: a conflict creates no conversation'],
  },
  {
    store: 'forgets what a conversation is about',
    changes: [['there.agent = rows.agent', 'there.agent ||= rows.agent']],
    caughtBy: ['append: the rows beside the log are those of the newest append'],
  },
  {
    store: 'takes the time from its own clock',
    changes: [['({ at, ...event,', '({ at: now(), ...event,']],
    caughtBy: ['append: the time of an event is the writer’s, even if time went back'],
  },
  {
    store: 'gives every event the time of the append',
    changes: [['({ at, ...event,', '({ ...event, at,']],
    caughtBy: ['append: an event with a time of its own keeps it, and the others have the time of the append'],
  },
  {
    store: 'gives the events of a write a time each',
    changes: [['({ at, ...event,', '({ at: at + index, ...event,']],
    caughtBy: [
      'append: an append after the last seq continues the log',
      'load: without a base, everything is loaded',
      'call: the same call id in another conversation is another call',
    ],
  },
  {
    store: 'numbers writes, not events',
    changes: [['seq: expectedSeq + index + 1', 'seq: there.marks.size + 1']],
    caughtBy: ['append: five hundred events of one append have consecutive seqs'],
  },
  {
    store: 'answers with the bodies alone',
    changes: [
      [
        `return { result: 'ok', events: written, hash, epoch: there.epoch, owned: owned() }\n  }\n\n`,
        `return { result: 'ok', events, hash, epoch: there.epoch, owned: owned() }\n  }\n\n`,
      ],
    ],
    caughtBy: [
      'append: the first append creates the conversation, and returns its events',
      'mark: an append that is sent many times at the same moment is written once',
      'mark: the mark of a conflict may be used again',
    ],
  },
  {
    store: 'knows no tenants',
    changes: [['JSON.stringify([tenant, id])', 'JSON.stringify([id])']],
    caughtBy: ['append: the same id in two tenants is two conversations'],
  },
  // marks and keys
  {
    store: 'ignores the mark',
    changes: [['there.marks.get(expectedSeq + 1) === write.mark', 'false']],
    caughtBy: ['mark: an append that is repeated at once is written once, and has the same result'],
  },
  {
    store: 'remembers the newest mark only',
    changes: [['there.marks.set(', 'there.marks.clear()\n there.marks.set(']],
    caughtBy: [
      'mark: an append that is repeated after other appends is written once',
      'mark: an append that is repeated after the store was reopened is written once',
    ],
  },
  {
    store: 'takes a mark anywhere in the conversation',
    changes: [['there.marks.get(expectedSeq + 1) === write.mark', '[...there.marks.values()].includes(write.mark)']],
    caughtBy: ['mark: a mark is compared at the first seq of its append only'],
  },
  {
    store: 'takes a mark once per conversation',
    changes: [['movedFrom(there, write)', 'movedFrom(there, write) || [...there.marks.values()].includes(write.mark)']],
    caughtBy: ['mark: a mark identifies an append only at its own seq'],
  },
  {
    store: 'takes a write at the same place for the same write',
    changes: [['there.marks.get(expectedSeq + 1) === write.mark', 'there.marks.has(expectedSeq + 1)']],
    caughtBy: ['mark: an equal append with another mark is another append'],
  },
  {
    store: 'writes the rows of a write given again',
    changes: [
      [
        'const written = there.events.slice(from',
        'there.status = rows.status\n const written = there.events.slice(from',
      ],
    ],
    caughtBy: ['mark: a repeated append changes no newer row'],
  },
  {
    store: 'fences before it looks at the mark',
    changes: [
      [
        'if (movedFrom(there, write))',
        `if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }\n if (movedFrom(there, write))`,
      ],
    ],
    caughtBy: ['mark: a driver that was replaced still learns that its earlier append was written'],
  },
  {
    store: 'ignores the key',
    changes: [['write.key === undefined ? undefined : there.keys.get(write.key)', 'undefined']],
    caughtBy: ['key: an append with a used key returns the last seq of the first append'],
  },
  {
    store: 'tells the newest seq of a repeated key',
    changes: [['seq: repeated }', 'seq: headOf(there) }']],
    caughtBy: ['key: a used key is reported even to a writer with an old seq'],
  },
  {
    store: 'tells the first seq of a repeated key',
    changes: [['there.keys.set(write.key, head)', 'there.keys.set(write.key, expectedSeq + 1)']],
    caughtBy: ['key: an append with a used key returns the last seq of the first append'],
  },
  {
    store: 'looks at the key only where the seq fits',
    changes: [['return repeated === undefined ?', 'return true ?']],
    caughtBy: ['key: a used key is reported even to a writer with an old seq'],
  },
  {
    store: 'looks at the key before the mark',
    changes: [['if (movedFrom(there, write))', `${repeatedFirst}\n if (movedFrom(there, write))`]],
    caughtBy: ['key: a repeated append with a key returns ok, not repeated'],
  },
  {
    store: 'keeps one set of keys for all',
    changes: [
      ['there.keys.get(write.key)', '[...all.values()].find(({ keys }) => keys.has(write.key))?.keys.get(write.key)'],
    ],
    caughtBy: [
      'key: another conversation may use the same key',
      'key: of two appends with the same key at the same moment, one is written',
    ],
  },
  {
    store: 'uses up the key of a write it refused',
    changes: [['if (!mine) return', 'if (!mine && write.key) there.keys.set(write.key, 0)\n if (!mine) return']],
    caughtBy: ['key: an append that was not written does not use its key'],
  },
  {
    store: 'folds the case of keys',
    changes: [
      ['keys.get(write.key)', 'keys.get(write.key.toLowerCase())'],
      ['keys.set(write.key,', 'keys.set(write.key.toLowerCase(),'],
    ],
    caughtBy: ['key: keys are compared exactly'],
  },
  {
    store: 'takes an empty key for none',
    changes: [['if (write.key !== undefined)', 'if (write.key)']],
    caughtBy: ['key: keys are compared exactly'],
  },
  {
    store: 'writes under a key that was used',
    changes: [[`    ${repeatedFirst}\n`, '']],
    caughtBy: ['key: an append with a used key writes nothing'],
  },
  {
    store: 'cannot be asked for keys',
    changes: [['findKey: async (from, key) => get(from)?.keys.get(key)', 'findKey: async () => undefined']],
    caughtBy: ['key: keys are compared exactly', 'crash: after a handle died, the store has every acknowledged write'],
  },
  {
    store: 'is asked for keys of any conversation',
    changes: [['get(from)?.keys.get(key)', '[...all.values()].find(({ keys }) => keys.has(key))?.keys.get(key)']],
    caughtBy: ['key: findKey returns the seq of a key'],
  },
]
