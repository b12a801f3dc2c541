/** Wrong about what belongs to no conversation. */
import type { Broken, Change } from './broken-store.ts'

const READS = 'document: a document is read back unchanged'
const CONFLICTS = 'document: a put that expects another version changes nothing'
const REMOVES = 'document: a removed document is gone, and starts again at version 1'
const ENDS = 'document: a document exists until it expires'
const OVER = 'document: an expired document counts as removed'
const AT_ONCE = 'document: it expires at exactly the given time'
const APART = 'document: a document is not visible under another tenant, kind or id'
const SORTED = 'documents: documents are listed by id, as JavaScript compares strings'
const PREFIX = 'documents: a prefix selects only ids that begin with it'
const PAGED = 'documents: paging finds each document once'
const DATA = 'documents: data that is difficult for databases does not change'
const NAMED = 'documents: tenants, kinds and ids may be any text'
const SWEPT = 'document: a sweep removes all expired documents, and nothing else'

const makes = (what: string): readonly Change[] => [['const made = {', `const made = ${what} || {`]]
const data = (how: string): readonly Change[] => [
  ['at: now(), data }', `at: now(), data: JSON.parse(((text) => ${how})(JSON.stringify(data))) }`],
]
const sorts = (how: string): readonly Change[] => [['one.id < other.id ? -1 : 1', how]]
const places = (how: string): readonly Change[] => [
  ['JSON.stringify([tenant, kind, id])', `JSON.stringify([tenant, kind, id].map((name) => ${how}))`],
]

export const brokenDocuments: readonly Broken[] = [
  {
    store: 'has an end for every document',
    changes: [['ttlMs === undefined ? made :', 'ttlMs === undefined ? { ...made, until: undefined } :']],
    caughtBy: [READS],
  },
  {
    store: 'keeps a document by a clock of its own',
    changes: makes('{ kind, id, version, at: 0, data }'),
    caughtBy: [READS],
  },
  {
    store: 'keeps whole milliseconds of documents',
    changes: [['made.at + ttlMs', 'made.at + Math.floor(ttlMs)']],
    caughtBy: [READS],
  },
  {
    store: 'keeps when a document was made, and not when it was changed',
    changes: makes('(there && { ...there, version, data })'),
    caughtBy: ['document: the version of a document counts its changes, and its time is that of the last change'],
  },
  {
    store: 'counts the changes of all documents together',
    changes: [['(there?.version ?? 0) + 1', '(there?.version ?? documents.size) + 1']],
    caughtBy: ['document: the version of a document counts its changes, and its time is that of the last change'],
  },
  {
    store: 'looks at no expectation',
    changes: [['expected !== undefined && expected', 'false && expected']],
    caughtBy: [CONFLICTS, 'race: of two handles that change a document, exactly one succeeds'],
  },
  {
    store: 'takes 0 for no expectation',
    changes: [['expected !== undefined && expected', 'expected && expected']],
    caughtBy: [CONFLICTS],
  },
  {
    store: 'lets an older version be expected',
    changes: [['expected !== versionOf(there)', 'expected > versionOf(there)']],
    caughtBy: [CONFLICTS],
  },
  {
    store: 'lets any caller remove a document',
    changes: [['if (expected !== undefined', 'if (data !== undefined && expected !== undefined']],
    caughtBy: [CONFLICTS],
  },
  {
    store: 'tells who is too late of what was expected',
    changes: [[`'conflict', version: versionOf(there)`, `'conflict', version: expected`]],
    caughtBy: [CONFLICTS],
  },
  {
    store: 'replaces nothing that is there unless it is expected',
    changes: [['expected !== undefined && expected !== versionOf(there)', '(expected ?? 0) !== versionOf(there)']],
    caughtBy: ['document: a put without an expected version replaces any version'],
  },
  {
    store: 'keeps the end of a document that has none any more',
    changes: [
      [
        'documents.set(place, ttlMs === undefined ? made',
        'documents.set(place, ttlMs === undefined ? { ...there, ...made }',
      ],
    ],
    caughtBy: ['document: a put replaces the whole document, with its expiry'],
  },
  {
    store: 'puts the new data of a document over the old',
    changes: [
      ['at: now(), data }', 'at: now(), data: typeof data === "object" && data ? { ...there?.data, ...data } : data }'],
    ],
    caughtBy: ['document: a put replaces the whole document, with its expiry'],
  },
  {
    store: 'keeps nothing in the place of what was removed',
    changes: [['documents.delete(place)\n', 'if (there) documents.set(place, { ...there, data: null })\n']],
    caughtBy: [REMOVES],
  },
  {
    store: 'goes on counting after a removal',
    changes: [
      ['const documents = new Map', 'const counts = new Map()\n  const documents = new Map'],
      ['(there?.version ?? 0) + 1', '(counts.get(place) ?? 0) + 1\n      counts.set(place, version)'],
    ],
    caughtBy: [REMOVES],
  },
  {
    store: 'takes null for a removal',
    changes: [['if (data === undefined) {', 'if (data == null) {']],
    caughtBy: [REMOVES],
  },
  {
    store: 'tells the version that was removed',
    changes: [[`return { result: 'ok', version: 0 }`, `return { result: 'ok', version: versionOf(there) }`]],
    caughtBy: [REMOVES],
  },
  {
    store: 'has conflicts over removing nothing',
    changes: [
      [
        'if (data === undefined) {',
        `if (data === undefined) {\n if (!there) return { result: 'conflict', version: 0 }`,
      ],
    ],
    caughtBy: [REMOVES],
  },
  {
    store: 'shows every tenant the documents of all',
    changes: [['JSON.stringify([tenant, kind, id])', 'JSON.stringify([kind, id])']],
    caughtBy: [APART],
  },
  {
    store: 'keeps one document of an id, of whatever kind',
    changes: [['JSON.stringify([tenant, kind, id])', 'JSON.stringify([tenant, id])']],
    caughtBy: [APART],
  },
  {
    store: 'puts the parts of a place together',
    changes: [['JSON.stringify([tenant, kind, id])', 'tenant + kind + id']],
    caughtBy: [APART],
  },
  {
    store: 'keeps every document for good',
    changes: [['=> until <= now()\n', '=> false\n']],
    caughtBy: [ENDS, OVER, AT_ONCE],
  },
  {
    store: 'gets documents that are over',
    changes: [['return there && !isOver(there) ? there : undefined', 'return there']],
    caughtBy: [ENDS, OVER],
  },
  {
    store: 'lists documents that are over',
    changes: [['.filter((document) => !isOver(document))', '']],
    caughtBy: [ENDS, OVER],
  },
  {
    store: 'has conflicts with documents that are over',
    changes: [['there && !isOver(there) ? there.version : 0', 'there?.version ?? 0']],
    caughtBy: [OVER],
  },
  {
    store: 'counts from 1 again while what is over is still there',
    changes: [['(there?.version ?? 0) + 1', 'versionOf(there) + 1']],
    caughtBy: [OVER],
  },
  {
    store: 'gives a document up to the moment it names',
    changes: [['=> until <= now()\n', '=> until < now()\n']],
    caughtBy: [AT_ONCE],
  },
  {
    store: 'leaves what is over to the sweep',
    changes: [['documents.delete(place)\n', 'if (versionOf(there)) documents.delete(place)\n']],
    caughtBy: ['document: an expired document can be removed'],
  },
  {
    store: 'counts the time of a document from its first version',
    changes: [['until: made.at + ttlMs', 'until: (there?.until ?? made.at + ttlMs)']],
    caughtBy: ['document: a document that is renewed in time stays'],
  },
  {
    store: 'sorts documents as they were made',
    changes: sorts('0'),
    caughtBy: [SORTED],
  },
  {
    store: 'sorts ids as people do',
    changes: sorts('one.id.localeCompare(other.id)'),
    caughtBy: [SORTED],
  },
  {
    store: 'sorts ids by their code points',
    changes: sorts('Buffer.compare(Buffer.from(one.id, "utf8"), Buffer.from(other.id, "utf8"))'),
    caughtBy: [SORTED],
  },
  {
    store: 'takes a prefix for a pattern',
    changes: [
      [
        'id.startsWith(prefix)',
        String.raw`new RegExp('^' + prefix.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('%', '.*').replaceAll('_', '.'), 's').test(id)`,
      ],
    ],
    caughtBy: [PREFIX],
  },
  {
    store: 'finds a prefix anywhere',
    changes: [['id.startsWith(prefix)', 'id.includes(prefix)']],
    caughtBy: [PREFIX],
  },
  {
    store: 'looks for a prefix up to U+FFFF',
    changes: [['id.startsWith(prefix)', String.raw`id >= prefix && id < prefix + '\uffff'`]],
    caughtBy: [PREFIX],
  },
  {
    store: 'knows no half of a character as a prefix',
    changes: [
      ['id.startsWith(prefix)', 'Buffer.from(id).subarray(0, Buffer.from(prefix).length).equals(Buffer.from(prefix))'],
    ],
    caughtBy: [PREFIX],
  },
  {
    store: 'goes on from a page and not from a prefix, or the other way round',
    changes: [['id.startsWith(prefix) && (after', '(after !== undefined || id.startsWith(prefix)) && (after']],
    caughtBy: [PREFIX, PAGED],
  },
  {
    store: 'begins a page with the last of the one before',
    changes: [['after === undefined || id > after', 'after === undefined || id >= after']],
    caughtBy: [PAGED],
  },
  {
    store: 'announces a page of documents that is empty',
    changes: [['found.length > limit ? page', 'found.length >= limit ? page']],
    caughtBy: [PAGED],
  },
  {
    store: 'counts documents that are over for a page',
    changes: [
      ['.filter((document) => !isOver(document))', ''],
      ['return { items: page,', 'return { items: page.filter((document) => !isOver(document)),'],
    ],
    caughtBy: ['documents: expired documents take no place on a page'],
  },
  {
    store: 'pages documents by number',
    changes: [
      ['(after === undefined || id > after)', 'true'],
      ['found.slice(0, limit)', 'found.slice(Number(after ?? 0), Number(after ?? 0) + limit)'],
      [
        'found.length > limit ? page.at(-1)?.id',
        'found.length > Number(after ?? 0) + limit ? String(Number(after ?? 0) + limit)',
      ],
    ],
    caughtBy: ['documents: paging is stable while documents are created, changed and removed'],
  },
  {
    store: 'cannot keep U+0000 in documents',
    changes: data(String.raw`text.replace(/(?<!\\)\\u0000/g, '')`),
    caughtBy: [DATA],
  },
  {
    store: 'keeps documents of a hundred levels at most',
    changes: data(`/[[{]{500}/.test(text) ? '"too deep"' : text`),
    caughtBy: [DATA],
  },
  {
    store: 'folds the case of places',
    changes: places('name.toLowerCase()'),
    caughtBy: [NAMED],
  },
  {
    store: 'makes places well formed',
    changes: places('name.toWellFormed()'),
    caughtBy: [NAMED],
  },
  {
    store: 'cuts long ids',
    changes: places('name.slice(0, 255)'),
    caughtBy: ['documents: an id may have a thousand characters'],
  },
  {
    store: 'sweeps no documents',
    changes: [['if (isOver(document) && left > 0', 'if (false']],
    caughtBy: [SWEPT, AT_ONCE],
  },
  {
    store: 'sweeps documents that have an end',
    changes: [['if (isOver(document) && left', 'if (document.until && left']],
    caughtBy: [SWEPT, 'document: a document that is renewed in time stays'],
  },
  {
    store: 'sweeps the documents of one tenant',
    changes: [['if (isOver(document) && left', `if (isOver(document) && place.startsWith('["",') && left`]],
    caughtBy: [SWEPT],
  },
  {
    store: 'sweeps documents beyond the limit',
    changes: [['isOver(document) && left > 0', 'isOver(document)']],
    caughtBy: ['document: the limit of a sweep counts notes and documents together'],
  },
  {
    store: 'sweeps documents by the limit of notes',
    changes: [
      [
        'for (const [place, document] of documents) {',
        'let more = limit\n for (const [place, document] of documents) {',
      ],
      ['left > 0 &&', 'more-- > 0 &&'],
    ],
    caughtBy: ['document: the limit of a sweep counts notes and documents together'],
  },
  {
    store: 'sweeps five hundred documents at most',
    changes: [
      ['for (const [place, document] of documents) {', 'let most = 500\n for (const [place, document] of documents) {'],
      ['left > 0 &&', 'left > 0 && most-- > 0 &&'],
    ],
    caughtBy: ['document: a sweep can remove a thousand documents'],
  },
  {
    store: 'tells of documents as of events',
    changes: [
      [
        'documents.set(place,',
        'for (const listener of listeners) listener({ tenant, id }, version + 1)\n documents.set(place,',
      ],
    ],
    caughtBy: ['document: a document changes nothing about conversations'],
  },
  {
    store: 'keeps documents among conversations',
    changes: [
      [
        'documents.set(place,',
        'if (!get({ tenant, id })) all.set(keyOf({ tenant, id }), create({ tenant, id }, all.size, now()))\n documents.set(place,',
      ],
    ],
    caughtBy: ['document: a document changes nothing about conversations'],
  },
]
