/** Wrong where it is written: all or nothing, at its seq, once. */
import type { Broken } from './broken-store.ts'

const repeatedFirst = `if (repeated !== undefined) return { result: 'repeated', seq: repeated }`

export const brokenWrites: readonly Broken[] = [
  // the write
  {
    store: 'writes wherever the end is',
    changes: [['headOf(there) !== expectedSeq', 'false']],
    caughtBy: ['append: an append below the last seq is a conflict'],
  },
  {
    store: 'takes a seq beyond the end',
    changes: [['headOf(there) !== expectedSeq', 'headOf(there) > expectedSeq']],
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
      'append: a conflict leaves no event and no row behind',
      'race: of many first writes to a new conversation, one wins',
    ],
  },
  {
    store: 'leaves the rows of a conflict behind',
    changes: [['if (!mine) return', 'if (!mine) there.status = rows.status\n if (!mine) return']],
    caughtBy: ['append: a conflict leaves no event and no row behind'],
  },
  {
    store: 'makes a conversation of a conflict',
    changes: [['if (!mine) return', 'all.set(keyOf(to), there)\n if (!mine) return']],
    caughtBy: ['append: a conflict makes no conversation'],
  },
  {
    store: 'forgets what a conversation is about',
    changes: [['there.agent = rows.agent', 'there.agent ||= rows.agent']],
    caughtBy: ['append: the rows beside the log are those of the newest append'],
  },
  {
    store: 'takes the time from its own clock',
    changes: [['expectedSeq + index + 1, at })', 'expectedSeq + index + 1, at: now() })']],
    caughtBy: ['append: the time of an event is its writer’s, even where time went back'],
  },
  {
    store: 'gives the events of a write a time each',
    changes: [['expectedSeq + index + 1, at })', 'expectedSeq + index + 1, at: at + index })']],
    caughtBy: [
      'append: an append after the last seq goes on from there',
      'load: without a base, everything is loaded',
      'call: the same call id in another conversation is another call',
    ],
  },
  {
    store: 'numbers writes, not events',
    changes: [['seq: expectedSeq + index + 1', 'seq: there.marks.size + 1']],
    caughtBy: ['append: five hundred events of one append have their seqs without a gap'],
  },
  {
    store: 'answers with the bodies alone',
    changes: [
      [
        `return { result: 'ok', events: written, epoch: there.epoch, owned: owned() }\n  }\n\n`,
        `return { result: 'ok', events, epoch: there.epoch, owned: owned() }\n  }\n\n`,
      ],
    ],
    caughtBy: [
      'append: the first append makes the conversation, and says what it wrote',
      'mark: a write given many times at the same moment is written once',
      'mark: a conflict is not remembered: its mark may be used for the next try',
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
    caughtBy: ['mark: a write given again right away is written once, and answered as before'],
  },
  {
    store: 'remembers the newest mark only',
    changes: [['there.marks.set(', 'there.marks.clear()\n there.marks.set(']],
    caughtBy: [
      'mark: a write given again after others wrote is written once',
      'mark: a write given again after the store was closed and opened is written once',
    ],
  },
  {
    store: 'takes a mark anywhere in the conversation',
    changes: [['there.marks.get(expectedSeq + 1) === write.mark', '[...there.marks.values()].includes(write.mark)']],
    caughtBy: ['mark: a mark counts where its write began, not in the middle of it'],
  },
  {
    store: 'takes a mark once per conversation',
    changes: [
      [
        'headOf(there) !== expectedSeq',
        'headOf(there) !== expectedSeq || [...there.marks.values()].includes(write.mark)',
      ],
    ],
    caughtBy: ['mark: a mark counts at its own place: elsewhere it is another write'],
  },
  {
    store: 'takes a write at the same place for the same write',
    changes: [['there.marks.get(expectedSeq + 1) === write.mark', 'there.marks.has(expectedSeq + 1)']],
    caughtBy: ['mark: an equal write under another mark is another write'],
  },
  {
    store: 'writes the rows of a write given again',
    changes: [
      [
        'const written = there.events.slice(from',
        'there.status = rows.status\n const written = there.events.slice(from',
      ],
    ],
    caughtBy: ['mark: a write given again changes no row that was written since'],
  },
  {
    store: 'fences before it looks at the mark',
    changes: [
      [
        'if (headOf(there) !== expectedSeq)',
        `if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }\n if (headOf(there) !== expectedSeq)`,
      ],
    ],
    caughtBy: ['mark: a driver that was fenced since is still told that its write was written'],
  },
  {
    store: 'ignores the key',
    changes: [['write.key === undefined ? undefined : there.keys.get(write.key)', 'undefined']],
    caughtBy: ['key: a key that was used is told, with the last seq of the write that used it'],
  },
  {
    store: 'tells the newest seq of a repeated key',
    changes: [['seq: repeated }', 'seq: headOf(there) }']],
    caughtBy: ['key: a used key is told even to a writer that is behind'],
  },
  {
    store: 'tells the first seq of a repeated key',
    changes: [['there.keys.set(write.key, head)', 'there.keys.set(write.key, expectedSeq + 1)']],
    caughtBy: ['key: a key that was used is told, with the last seq of the write that used it'],
  },
  {
    store: 'looks at the key only where the seq fits',
    changes: [['return repeated === undefined ?', 'return true ?']],
    caughtBy: ['key: a used key is told even to a writer that is behind'],
  },
  {
    store: 'looks at the key before the mark',
    changes: [['if (headOf(there) !== expectedSeq)', `${repeatedFirst}\n if (headOf(there) !== expectedSeq)`]],
    caughtBy: ['key: a write with a key, given again, is the same write and no repetition'],
  },
  {
    store: 'keeps one set of keys for all',
    changes: [
      ['there.keys.get(write.key)', '[...all.values()].find(({ keys }) => keys.has(write.key))?.keys.get(write.key)'],
    ],
    caughtBy: [
      'key: another conversation may use the same key',
      'key: of two writes with the same key at the same moment, one is written',
    ],
  },
  {
    store: 'uses up the key of a write it refused',
    changes: [['if (!mine) return', 'if (!mine && write.key) there.keys.set(write.key, 0)\n if (!mine) return']],
    caughtBy: ['key: a write that was not written does not use its key up'],
  },
  {
    store: 'folds the case of keys',
    changes: [
      ['keys.get(write.key)', 'keys.get(write.key.toLowerCase())'],
      ['keys.set(write.key,', 'keys.set(write.key.toLowerCase(),'],
    ],
    caughtBy: ['key: keys are told apart to the letter'],
  },
  {
    store: 'takes an empty key for none',
    changes: [['if (write.key !== undefined)', 'if (write.key)']],
    caughtBy: ['key: keys are told apart to the letter'],
  },
  {
    store: 'writes under a key that was used',
    changes: [[`    ${repeatedFirst}\n`, '']],
    caughtBy: ['key: a repeated key leaves nothing behind'],
  },
  {
    store: 'cannot be asked for keys',
    changes: [['findKey: async (from, key) => get(from)?.keys.get(key)', 'findKey: async () => undefined']],
    caughtBy: [
      'key: keys are told apart to the letter',
      'crash: after a handle died, everything it said was written is there',
    ],
  },
  {
    store: 'is asked for keys of any conversation',
    changes: [['get(from)?.keys.get(key)', '[...all.values()].find(({ keys }) => keys.has(key))?.keys.get(key)']],
    caughtBy: ['key: the seq of a key can be asked for'],
  },
]
