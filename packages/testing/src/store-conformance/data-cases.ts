/** Data with which databases are known to fail: in events, in bases, and in every name. */
import type { Json, Store } from '@holdpoint/core'
import { at, draft, hold, logged, logOf, NOON, note, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

/** Unusual JSON values, by their description. */
export const TEXTS: Readonly<Record<string, Json>> = {
  'the character U+0000': 'a\u0000b',
  'control characters': '\u0001\u0008\t\n\r\u001f\u007f\u0085\u2028\u2029\ufeff',
  'a lone high surrogate': 'a\ud800b',
  'a lone low surrogate': '\udc00',
  'surrogates in the wrong order': '\udc00\ud800',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈🙂',
  'the last characters there are': '\u{10ffff}\uffff',
  'text that only looks the same': ['\u00e9', 'e\u0301', '\u212b', '\u00c5'],
  backslashes: '\\ \\\\ \\u0000 \\x00 \\',
  quotes: `'"\`''""\`\``,
  SQL: `'; drop table events; -- $1 ? :id @id $$ %s \\'`,
}

export const OBJECTS: Readonly<Record<string, Json>> = {
  'keys that objects have anyway': JSON.parse('{"__proto__":{"x":1},"constructor":1,"toString":2}') as Json,
  'keys that differ in case': { key: 1, KEY: 2, Key: 3 },
  'keys that look like numbers': { '2': 'b', '1': 'a', '01': 'c', '-1': 'd' },
  'an empty key': { '': '' },
  'a key with U+0000': { '\u0000': 1 },
  'a key that is a lone surrogate': { '\ud800': 'x', '\udc00': 'y' },
  'nothing in everything': [null, [], {}, '', [[]], [{}], { a: null }, false],
}

export const NUMBERS: readonly number[] = [
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  2 ** 53 + 2,
  -(2 ** 63),
  2 ** 64,
  1e21,
  1e-7,
  0.1 + 0.2,
  123_456_789.123_456_79,
]

/** Names that must stay distinct, although each resembles another or is special to a database. */
export const NAMES: readonly string[] = [
  'plain',
  'PLAIN',
  'plain ',
  ' plain',
  'plai_',
  'pl%',
  `it's "quoted" \`here\``,
  `'; drop table conversations; --`,
  'a\\b',
  'a\\\\b',
  'a/b/../c?d=e#f',
  'a:b|c,d;e',
  'line\nbreak\ttab',
  'ünï©ödé 漢字 ру́сский',
  '👩‍👩‍👧‍👦',
  '\u00e9',
  'e\u0301',
  'ß',
  'ss',
  'İ',
  'i',
  'nothing\u0000here',
  'nothing',
  'half \ud800',
  'half \udc00',
  'half \ufffd',
  'x'.repeat(200),
  `${'x'.repeat(199)}y`,
  '漢'.repeat(200),
  '__proto__',
  'constructor',
  'null',
  'undefined',
  '0',
  '00',
  '1e3',
  '$1',
  ':id',
  '?',
  '{"a":1}',
  '[]',
]

export const dataCases: Cases = {
  'text that is difficult for databases does not change': async ({ store, another }) => {
    const other = await another()
    for (const [what, value] of Object.entries(TEXTS)) await kept(store, other, value, what)
  },

  'objects that are difficult for programs do not change': async ({ store, another }) => {
    const other = await another()
    for (const [what, value] of Object.entries(OBJECTS)) await kept(store, other, value, what)
  },

  'numbers at the limits do not change': async ({ store, another }) => {
    const other = await another()
    for (const value of NUMBERS) await kept(store, other, value, String(value))
  },

  'two thousand levels of nesting do not change': async ({ store, another }) => {
    const text = `${'['.repeat(1000)}${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}${']'.repeat(1000)}`
    await kept(store, await another(), JSON.parse(text) as Json, 'nesting')
  },

  'five megabytes in one value do not change': async ({ store, another }) => {
    await kept(store, await another(), 'megabyte ü\u0000'.repeat(480_000), 'length')
  },

  'every name may be any text, and different names stay different': async ({ store, another }) => {
    const writes = NAMES.map((name) => draft(name, 0, { tenant: name, agent: name, mark: name, key: name }))
    for (const write of writes) await written(store, write)
    const other = await another()
    for (const write of writes) await sameLog(other, write.to, [write])
    same(
      await other.heads(writes.map(({ to }) => to)),
      writes.map(() => 1),
      'heads',
    )
    same(
      await other.heads(writes.map(({ to }) => at(to.id))),
      writes.map(() => 0),
      'heads in no tenant',
    )
    for (const name of NAMES) {
      const { items } = await other.list({ tenant: name, agent: name, limit: 9 })
      same(
        items.map(({ id, agent }) => [id, agent]),
        [[name, name]],
        'the list of a tenant',
      )
      same(await other.append(draft(name, 1, { tenant: name, key: name })), { result: 'repeated', seq: 1 }, 'the key')
    }
    for (const write of writes) same((await written(other, write)).events, logged(write), 'the same write again')
  },

  'ids of one tenant stay different, and are listed in the order of creation': async ({ store }) => {
    for (const [n, id] of NAMES.entries()) await written(store, draft(id, 0, { at: NOON + n }))
    const { items } = await store.list({ tenant: '', limit: 100 })
    same(
      items.map(({ id }) => id),
      NAMES.toReversed(),
      'the list',
    )
  },

  'calls and tools may have any name': async ({ store, another }) => {
    const rows = NAMES.map((name, n) => hold(name, { tool: name, heldAt: NOON + n, seqs: [n + 1] }))
    const write = draft('c', 0, { many: NAMES.length, holds: rows })
    await written(store, write)
    const other = await another()
    for (const [n, name] of NAMES.entries()) {
      const { items } = await other.pending({ tenant: '', tool: name, limit: 9 })
      same(
        items.map(({ callId }) => callId),
        [name],
        'by tool',
      )
      same(await other.readCall(at('c'), name), [logged(write)[n]], 'the call')
    }
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await other.pending({ tenant: '', limit: 4, ...(after === undefined ? {} : { after }) })
      holds(page.items.length > 0, 'a page that was announced is not empty')
      seen.push(...page.items.map(({ callId }) => callId))
      after = page.next
    } while (after !== undefined && seen.length < 1000)
    same(seen, NAMES, 'page by page')
  },

  'times may have a fraction, and be as large as possible': async ({ store, another, now }) => {
    const start = (await now()) - 1000
    const times = [0, 0.5, NOON + 0.25, 8_640_000_000_000_000]
    for (const [seq, time] of times.entries()) {
      const row = hold(`call ${seq}`, { heldAt: time, expiresAt: time + 0.125, seqs: [seq + 1] })
      await written(store, draft('c', seq, { at: time, holds: [row], status: 'held', wakeAt: start + 86_400_000.5 }))
    }
    const other = await another()
    same(
      (await logOf(other, at('c'))).map((event) => event.at),
      times,
      'the times of events',
    )
    const { items } = await other.pending({ tenant: '', limit: 9 })
    same(
      items.map(({ heldAt }) => heldAt),
      times,
      'the times of holds',
    )
    same(
      items.map(({ expiresAt }) => expiresAt),
      times.map((time) => time + 0.125),
      'the times they expire',
    )
    same((await other.due({ agents: ['desk'], limit: 9 })).next, start + 86_400_000.5, 'the next deadline')
    const [row] = (await other.list({ tenant: '', limit: 9 })).items
    same([row?.createdAt, row?.updatedAt], [0, 8_640_000_000_000_000], 'created and updated')
  },

  'nodes and agents may have any name': async ({ store }) => {
    for (const name of NAMES) await store.beat(name, 60_000)
    for (const name of NAMES) {
      const { owned } = await written(store, draft(name, 0, { agent: name, status: 'running', node: name }))
      same(owned, true, `owned by ${name}`)
    }
    same((await store.due({ agents: NAMES, limit: 100 })).conversations, [], 'due while all leases are valid')
    for (const name of NAMES) await store.leave(name)
    for (const name of NAMES) {
      same((await store.due({ agents: [name], limit: 100 })).conversations, [at(name)], `due once ${name} left`)
      holds((await store.takeOver(at(name), 'n')) !== undefined, `${name} can be taken over`)
    }
  },
}

/** Stores the value as an event and as a base, and reads it in every way. */
async function kept(store: Store, other: Store, value: Json, what: string): Promise<void> {
  const events = [note(value), note({ within: value })]
  const text = JSON.stringify(value)
  const answer = await written(store, draft(what, 0, { events, base: value, holds: [hold('x', { seqs: [1] })] }))
  const read = await logOf(other, at(what))
  const [called] = await other.readCall(at(what), 'x')
  const loaded = await other.load(at(what))
  const places = { 'in the answer': answer.events[0], 'in the log': read[0], 'by its call': called }
  for (const [where, event] of Object.entries(places)) {
    const is = event?.type === 'state.changed' && JSON.stringify(event.value) === text
    holds(is, `the same ${where}: ${what}`)
  }
  const within = read[1]?.type === 'state.changed' && JSON.stringify(read[1].value)
  holds(within === `{"within":${text}}`, `the same within another: ${what}`)
  holds(JSON.stringify(loaded?.base?.state) === text, `the same in a base: ${what}`)
}
