/** Wrong with data and names that are odd. */
import type { Broken, Change } from './broken-store.ts'

const mangled = (how: string): readonly Change[] => [
  ['= events.map((event,', `= (${how})(events).map((event,`],
  ['state: rows.base }', `state: (${how})(rows.base) }`],
]
const asText = (how: string): string => `(value) => JSON.parse(((text) => ${how})(JSON.stringify(value)))`
const named = (how: string): readonly Change[] => [
  ['return JSON.stringify([tenant, id])', `return JSON.stringify([${how}(tenant), ${how}(id)])`],
]
export const brokenData: readonly Broken[] = [
  // data
  {
    store: 'cannot keep U+0000',
    changes: mangled(asText(String.raw`text.replaceAll('\\u0000', '')`)),
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'makes text well formed',
    changes: mangled(asText(String.raw`text.replace(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd')`)),
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'keeps no characters beyond 16 bits',
    changes: mangled(asText(String.raw`text.replace(/[^\0-\uffff]/gu, '?')`)),
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'keeps no control characters',
    changes: mangled(asText(String.raw`text.replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, '')`)),
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'normalises text',
    changes: mangled(asText('text.normalize()')),
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'reads backslashes twice',
    changes: mangled(asText(String.raw`text.replaceAll('\\\\', '\\')`)),
    throws: 'Bad escaped character',
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'doubles quotes',
    changes: mangled(asText(`text.replaceAll("'", "''")`)),
    caughtBy: ['data: text that is difficult for databases does not change'],
  },
  {
    store: 'keeps numbers in 32 bits',
    changes: mangled(
      `(value) => JSON.parse(JSON.stringify(value), (_, one) => typeof one === 'number' ? Math.fround(one) : one)`,
    ),
    caughtBy: ['data: numbers at the limits do not change'],
  },
  {
    store: 'sorts the keys of objects',
    changes: mangled(
      `function sorted(value) { return Array.isArray(value) ? value.map(sorted) : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value }`,
    ),
    caughtBy: ['append: events are read back byte by byte, with the same order of keys'],
  },
  {
    store: 'copies objects by assignment',
    changes: mangled(
      `function copied(value) { if (Array.isArray(value)) return value.map(copied); if (!value || typeof value !== 'object') return value; const copy = {}; for (const key of Object.keys(value)) copy[key] = copied(value[key]); return copy }`,
    ),
    caughtBy: ['data: objects that are difficult for programs do not change'],
  },
  {
    store: 'drops nulls',
    changes: mangled(`(value) => JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined)`),
    caughtBy: ['append: events are read back byte by byte, with the same order of keys'],
  },
  {
    store: 'drops empty keys',
    changes: mangled(asText(String.raw`text.replaceAll('"":', '"_":')`)),
    caughtBy: ['data: objects that are difficult for programs do not change'],
  },
  {
    store: 'folds the case of keys of objects',
    changes: mangled(
      asText(String.raw`text.replace(/"(\w+)":/g, (key) => key === '"within":' ? key : key.toLowerCase())`),
    ),
    caughtBy: ['data: objects that are difficult for programs do not change'],
  },
  {
    store: 'keeps a megabyte at most',
    changes: mangled(
      `(value) => { if (JSON.stringify(value)?.length > 2**20) throw new Error('too long'); return value }`,
    ),
    throws: 'too long',
    caughtBy: ['data: five megabytes in one value do not change'],
  },
  {
    store: 'keeps a hundred levels at most',
    changes: mangled(
      `(value) => { if (/[[{]{500}/.test(JSON.stringify(value) ?? '')) throw new Error('too deep'); return value }`,
    ),
    throws: 'too deep',
    caughtBy: ['data: two thousand levels of nesting do not change'],
  },
  {
    store: 'folds the case of names',
    changes: named('((name) => name.toLowerCase())'),
    caughtBy: ['data: ids of one tenant stay different, and are listed in the order of creation'],
  },
  {
    store: 'trims names',
    changes: named('((name) => name.trim())'),
    caughtBy: ['data: ids of one tenant stay different, and are listed in the order of creation'],
  },
  {
    store: 'cuts names',
    changes: named('((name) => name.slice(0, 199))'),
    caughtBy: ['data: ids of one tenant stay different, and are listed in the order of creation'],
  },
  {
    store: 'normalises names',
    changes: named('((name) => name.normalize())'),
    caughtBy: ['data: ids of one tenant stay different, and are listed in the order of creation'],
  },
  {
    store: 'refuses quotes in names',
    changes: named(`((name) => { if (name.includes("'")) throw new Error('syntax error'); return name })`),
    throws: 'syntax error',
    caughtBy: ['data: every name may be any text, and different names stay different'],
  },
  {
    store: 'keeps whole milliseconds',
    changes: [['({ at, ...event,', '({ at: Math.floor(at), ...event,']],
    caughtBy: ['data: times may have a fraction, and be as large as possible'],
  },
  {
    store: 'makes one agent of all',
    changes: [['there.agent = rows.agent', 'there.agent = rows.agent.toLowerCase()']],
    caughtBy: ['data: nodes and agents may have any name'],
  },
  {
    store: 'makes one node of all',
    changes: [['there.owner = node', 'there.owner = node?.toLowerCase()']],
    caughtBy: ['data: nodes and agents may have any name'],
  },
  {
    store: 'makes one call of all',
    changes: [['there.holds.set(row.callId, row)', 'there.holds.set(row.callId.trim(), row)']],
    caughtBy: ['data: calls and tools may have any name'],
  },
]
