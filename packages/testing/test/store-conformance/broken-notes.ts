/** Wrong about what is kept beside the log. */
import type { Broken, Change } from './broken-store.ts'

const keeps = (what: string): readonly Change[] => [['[...others, note]', `[...others, ${what}]`]]
const data = (how: string): readonly Change[] =>
  keeps(`{ ...note, data: JSON.parse(((text) => ${how})(JSON.stringify(note.data))) }`)
const kinds = (how: string): readonly Change[] => [
  ['kind !== note.kind', `${how}(kind) !== ${how}(note.kind)`],
  ['note.kind === kind', `${how}(note.kind) === ${how}(kind)`],
]

export const brokenNotes: readonly Broken[] = [
  {
    store: 'forgets when it was noted',
    changes: keeps('{ ...note, at: now() }'),
    caughtBy: ['note: a note is read back unchanged'],
  },
  {
    store: 'says nothing of when a note ends',
    changes: [
      ['.filter(({ until = Infinity }) => until > now())\n', ''],
      ['.slice(0, limit),', '.slice(0, limit).map(({ until, ...note }) => note),'],
    ],
    caughtBy: ['note: a note is read back unchanged'],
  },
  {
    store: 'has an end for every note',
    changes: keeps('{ ...note, until: note.until }'),
    caughtBy: ['note: a note is read back unchanged'],
  },
  {
    store: 'keeps whole milliseconds of notes',
    changes: keeps('{ ...note, at: Math.floor(note.at) }'),
    caughtBy: ['note: a note is read back unchanged'],
  },
  {
    store: 'gives notes in the order they were noted',
    changes: [['other.seq - one.seq', '0']],
    caughtBy: ['note: notes are listed by seq, newest first, whenever they were written'],
  },
  {
    store: 'gives what was noted last first',
    changes: [['other.seq - one.seq', 'other.at - one.at']],
    caughtBy: ['note: notes are listed by seq, newest first, whenever they were written'],
  },
  {
    store: 'sorts seqs as text',
    changes: [['other.seq - one.seq', 'String(other.seq) < String(one.seq) ? -1 : 1']],
    caughtBy: ['note: notes are listed by seq, newest first, whenever they were written'],
  },
  {
    store: 'gives all notes there are',
    changes: [['.slice(0, limit),', ',']],
    caughtBy: ['note: at most `limit` notes are returned'],
  },
  {
    store: 'gives the first notes of all',
    changes: [['.slice(0, limit),', '.slice(-limit),']],
    caughtBy: ['note: at most `limit` notes are returned'],
  },
  {
    store: 'takes before for up to',
    changes: [['note.seq < before', 'note.seq <= before']],
    caughtBy: ['note: with `before`, only notes at earlier seqs are returned'],
  },
  {
    store: 'looks before a seq after it cut to the limit',
    changes: [
      ['note.kind === kind && note.seq < before', 'note.kind === kind'],
      ['.slice(0, limit),', '.slice(0, limit).filter(({ seq }) => seq < before),'],
    ],
    caughtBy: ['note: with `before`, only notes at earlier seqs are returned'],
  },
  {
    store: 'keeps one note at a seq, of whatever kind',
    changes: [['kind !== note.kind || seq !== note.seq', 'seq !== note.seq']],
    caughtBy: ['note: notes of different kinds at the same seq are different notes'],
  },
  {
    store: 'gives notes of every kind',
    changes: [['note.kind === kind && ', '']],
    caughtBy: ['note: notes of different kinds at the same seq are different notes'],
  },
  {
    store: 'keeps every note at a place',
    changes: [['kind !== note.kind || seq !== note.seq', 'true']],
    caughtBy: ['note: a note replaces the whole earlier note at its place'],
  },
  {
    store: 'keeps the first note at a place',
    changes: [['[...others, note]', '[...(others.length < there.notes.length ? there.notes : [...others, note])]']],
    caughtBy: ['note: a note replaces the whole earlier note at its place'],
  },
  {
    store: 'replaces what a note says, and not when it ends',
    changes: keeps('{ ...there.notes.find(({ kind, seq }) => kind === note.kind && seq === note.seq), ...note }'),
    caughtBy: ['note: a note replaces the whole earlier note at its place'],
  },
  {
    store: 'keeps one note of a kind',
    changes: [['kind !== note.kind || seq !== note.seq', 'kind !== note.kind']],
    caughtBy: ['note: a note replaces the whole earlier note at its place'],
  },
  {
    store: 'shows every tenant the notes of an id',
    changes: [
      [
        'const there = get(to)\n      if (!there || there.hidden) return\n',
        'const there = get({ ...to, tenant: "" })\n if (!there) return\n',
      ],
      ['(get(from)?.notes ?? [])', '(get({ ...from, tenant: "" })?.notes ?? [])'],
    ],
    caughtBy: ['note: a note is not visible in another conversation or tenant'],
  },
  {
    store: 'keeps notes of conversations that are not there',
    changes: [
      [
        'if (!there || there.hidden) return\n      const others',
        'if (!there) { all.set(keyOf(to), create(to, 0, 0)); return }\n      const others',
      ],
    ],
    caughtBy: ['note: a note on a conversation without events is dropped'],
  },
  {
    store: 'cannot keep U+0000 in notes',
    changes: data(String.raw`text.replace(/(?<!\\)\\u0000/g, '')`),
    caughtBy: ['note: data that is difficult for databases does not change', 'note: a megabyte does not change'],
  },
  {
    store: 'makes notes well formed',
    changes: data(String.raw`text.replace(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd')`),
    caughtBy: ['note: data that is difficult for databases does not change', 'note: a megabyte does not change'],
  },
  {
    store: 'sorts the keys of notes',
    changes: data(
      `text.startsWith('{') ? JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).sort(([a], [b]) => a < b ? -1 : 1))) : text`,
    ),
    caughtBy: ['note: data that is difficult for databases does not change'],
  },
  {
    store: 'keeps notes of a hundred levels at most',
    changes: data(`/[[{]{500}/.test(text) ? '"too deep"' : text`),
    caughtBy: ['note: deep data does not change'],
  },
  {
    store: 'cuts notes that are long',
    changes: data(`text.length > 2 ** 20 ? '"too long"' : text`),
    caughtBy: ['note: a megabyte does not change'],
  },
  {
    store: 'folds the case of kinds',
    changes: kinds('((name) => name.toLowerCase())'),
    caughtBy: ['note: kinds and conversations of notes may have any name'],
  },
  {
    store: 'makes kinds well formed',
    changes: kinds('((name) => name.toWellFormed())'),
    caughtBy: ['note: kinds and conversations of notes may have any name'],
  },
  {
    store: 'keeps every note for good',
    changes: [['.filter(({ until = Infinity }) => until > now())\n', '']],
    caughtBy: ['note: a note exists until it expires', 'note: it expires at exactly the given time'],
  },
  {
    store: 'gives a note up to the moment it names',
    changes: [['until > now())\n', 'until >= now())\n']],
    caughtBy: ['note: it expires at exactly the given time'],
  },
  {
    store: 'sweeps a note after the moment it names',
    changes: [['until <= now()).slice', 'until < now()).slice']],
    caughtBy: ['note: it expires at exactly the given time'],
  },
  {
    store: 'counts those that are over',
    changes: [
      [
        '.filter(({ until = Infinity }) => until > now())\n        .slice(0, limit)',
        '.slice(0, limit)\n        .filter(({ until = Infinity }) => until > now())',
      ],
    ],
    caughtBy: ['note: expired notes are not returned'],
  },
  {
    store: 'leaves a place to what was there first until that is swept',
    changes: [
      [
        'if (!there || there.hidden) return\n      const others',
        'if (!there || there.notes.some((one) => one.seq === note.seq && one.until <= now())) return\n      const others',
      ],
    ],
    caughtBy: ['note: a note can be written again after it expired'],
  },
  {
    store: 'sweeps every note that has an end',
    changes: [['until <= now()).slice', 'until < Infinity).slice']],
    caughtBy: [
      'note: a sweep removes all expired notes, and nothing else',
      'note: a note can be written again after it expired',
    ],
  },
  {
    store: 'sweeps notes without an end',
    changes: [
      ['const over = there.notes.filter(({ until = Infinity })', 'const over = there.notes.filter(({ until = 0 })'],
    ],
    caughtBy: ['note: a sweep removes all expired notes, and nothing else'],
  },
  {
    store: 'sweeps nothing, and says what it would',
    changes: [['there.notes = there.notes.filter((note) => !over.includes(note))', '']],
    caughtBy: ['note: a sweep removes all expired notes, and nothing else'],
  },
  {
    store: 'sweeps one tenant alone',
    changes: [['const over = there', 'if (there.address.tenant) continue\n const over = there']],
    caughtBy: ['note: a sweep removes all expired notes, and nothing else'],
  },
  {
    store: 'sweeps so many of each conversation',
    changes: [['.slice(0, left)', '.slice(0, limit)']],
    caughtBy: ['note: a sweep removes at most `limit` notes'],
  },
  {
    store: 'sweeps all there is',
    changes: [['.slice(0, left)', '']],
    caughtBy: ['note: a sweep removes at most `limit` notes'],
  },
  {
    store: 'sweeps a page at most',
    changes: [['let left = limit', 'limit = Math.min(limit, 500)\n let left = limit']],
    caughtBy: ['note: a sweep can remove a thousand notes'],
  },
  {
    store: 'takes a note for a write',
    changes: [['there.notes = [...others, note]', 'there.updatedAt = note.at + 1\n there.notes = [...others, note]']],
    caughtBy: ['note: a note changes no event and no row'],
  },
  {
    store: 'tells of notes as of events',
    changes: [
      [
        'there.notes = [...others, note]',
        'for (const listener of listeners) listener(to, note.seq)\n there.notes = [...others, note]',
      ],
    ],
    caughtBy: ['note: a note changes no event and no row'],
  },
  {
    store: 'drops notes when events are written',
    changes: [['there.updatedAt = at', 'there.updatedAt = at\n there.notes = []']],
    caughtBy: ['note: a note changes no event and no row'],
  },
]
