/** Wrong about what an erasure removes, what it keeps, and what it is. */
import type { Broken, Change } from './broken-store.ts'

const GONE = 'erase: an erased conversation has only the events of the erasure'

/** Leaves out a line of the erasure. */
function without(line: string): Change {
  return [`      ${line}\n`, '']
}

export const brokenErase: readonly Broken[] = [
  {
    store: 'erases nothing',
    changes: [['if (write.erase) {', 'if (false) {']],
    caughtBy: [
      GONE,
      'erase: long logs are erased completely',
      'erase: erased content is gone after the handle died',
      'usage: events are counted by their size, and not after they are erased',
    ],
  },
  { store: 'keeps the keys of erased writes', changes: [without('there.keys.clear()')], caughtBy: [GONE] },
  { store: 'keeps the calls of erased events', changes: [without('there.holds.clear()')], caughtBy: [GONE] },
  { store: 'keeps the notes of an erased conversation', changes: [without('there.notes = []')], caughtBy: [GONE] },
  { store: 'keeps the labels of an erased conversation', changes: [without('there.labels = []')], caughtBy: [GONE] },
  {
    store: 'keeps the base of an erased conversation',
    changes: [without('there.base = undefined')],
    caughtBy: [GONE, 'erase: an erasure keeps only the base of its own append'],
  },
  {
    store: 'drops the base that an erasure gives',
    changes: [['if (rows.base !== undefined) there.base', 'if (rows.base !== undefined && !write.erase) there.base']],
    caughtBy: ['erase: an erasure keeps only the base of its own append'],
  },
  {
    store: 'keeps the marks of erased writes',
    changes: [without('there.marks.clear()')],
    caughtBy: ['erase: an append from before an erasure is a conflict when it is repeated'],
  },
  {
    store: 'begins to count again after an erasure',
    changes: [['there.erased = headOf(there)', 'there.erased = 0']],
    caughtBy: [GONE, 'erase: an erased conversation takes appends as before'],
  },
  {
    store: 'erases the key and the holds of the erasing write',
    changes: [
      [
        'there.updatedAt = at\n',
        'there.updatedAt = at\n if (write.erase) { there.keys.clear(); rows.holds.length = 0 }\n',
      ],
    ],
    caughtBy: ['erase: an erasure keeps the rows of its own append'],
  },
  {
    store: 'erases the labels of the erasing write',
    changes: [['rows.labels ?? there.labels', 'write.erase ? [] : rows.labels ?? there.labels']],
    caughtBy: ['erase: an erasure keeps the rows of its own append'],
  },
  {
    store: 'erases before it looks at the seq',
    changes: [
      [
        'if (movedFrom(there, write)) {',
        'if (write.erase && headOf(there) >= expectedSeq) { there.events.length = 0; there.erased = expectedSeq }\n if (movedFrom(there, write)) {',
      ],
    ],
    caughtBy: ['erase: an erasure is refused, repeated and fenced like any append'],
  },
  {
    store: 'erases whatever was erased before',
    changes: [['if (movedFrom(there, write)) {', 'if (movedFrom(there, write) && !write.erase) {']],
    caughtBy: ['erase: an erasure is refused, repeated and fenced like any append'],
  },
  {
    store: 'keeps only the newest event of a conversation that was erased',
    changes: [
      [
        'there.events.push(...written)',
        'if (there.erased) { there.erased = expectedSeq; there.events.length = 0 }\n there.events.push(...written)',
      ],
    ],
    caughtBy: ['erase: an erased conversation takes appends as before'],
  },
  {
    store: 'erases every conversation of the id',
    changes: [
      [
        'if (write.erase) {',
        'if (write.erase) {\n for (const one of all.values()) if (one.address.id === to.id) { one.keys.clear(); one.notes = [] }',
      ],
    ],
    caughtBy: ['erase: no other conversation loses anything'],
  },
  {
    store: 'remembers the mark of an erasure everywhere',
    changes: [['there.marks.get(expectedSeq + 1) === write.mark', '[...there.marks.values()].includes(write.mark)']],
    caughtBy: ['erase: an append from before an erasure is a conflict when it is repeated'],
  },
  {
    store: 'counts the first erasure only',
    changes: [
      [
        'there.erased = headOf(there)\n      there.events.length = 0',
        'if (!there.erased && there.events.length !== 1) { there.erased = headOf(there); there.events.length = 0 }',
      ],
    ],
    caughtBy: ['erase: a conversation can begin with an erasure, and be erased twice'],
  },
]
