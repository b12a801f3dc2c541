/** Notes: kept beside a conversation, with an optional expiry. */
import type { Address, Json, Note, Store } from '@holdpoint/core'
import { NAMES, NUMBERS, OBJECTS, TEXTS } from './data-cases.ts'
import { at, draft, hold, logged, logOf, NOON, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

const MINUTE = 60_000

export const noteCases: Cases = {
  'a note is read back unchanged': async ({ store, now }) => {
    await written(store, draft('c', 0))
    const until = (await now()) + 10 * MINUTE + 0.5
    const kept = [noted(2, { at: NOON + 0.25, until, data: { b: [1, null], a: '' } }), noted(1)]
    for (const each of kept) await store.note(at('c'), each)
    same(await notesOf(store), kept, 'the notes')
    same('until' in ((await notesOf(store))[1] ?? {}), false, 'whether one without expiry has an end')
  },

  'notes are listed by seq, newest first, whenever they were written': async ({ store }) => {
    await written(store, draft('c', 0))
    for (const [nth, seq] of [9, 1, 100, 10, 2].entries()) {
      await store.note(at('c'), noted(seq, { at: NOON - nth }))
    }
    same(await seqsOf(store), [100, 10, 9, 2, 1], 'the seqs')
  },

  'at most `limit` notes are returned': async ({ store }) => {
    await written(store, draft('c', 0))
    for (const seq of [1, 2, 3, 4]) await store.note(at('c'), noted(seq))
    for (const limit of [1, 3, 4, 5]) {
      same(await seqsOf(store, { limit }), [4, 3, 2, 1].slice(0, limit), `at most ${limit}`)
    }
  },

  'with `before`, only notes at earlier seqs are returned': async ({ store }) => {
    await written(store, draft('c', 0))
    for (const seq of [1, 3, 5]) await store.note(at('c'), noted(seq))
    same(await seqsOf(store, { before: 6 }), [5, 3, 1], 'before 6')
    same(await seqsOf(store, { before: 5 }), [3, 1], 'before 5')
    same(await seqsOf(store, { before: 5, limit: 1 }), [3], 'one before 5')
    same(await seqsOf(store, { before: 1 }), [], 'before 1')
  },

  'notes of different kinds at the same seq are different notes': async ({ store }) => {
    await written(store, draft('c', 0))
    for (const kind of ['summary', 'audit']) {
      for (const seq of [1, 2]) await store.note(at('c'), noted(seq, { kind, data: `${kind} ${seq}` }))
    }
    for (const kind of ['summary', 'audit']) {
      same(await dataOf(store, { kind }), [`${kind} 2`, `${kind} 1`], `the notes of kind ${kind}`)
    }
    same(await dataOf(store, { kind: 'summ%' }), [], 'a kind is no pattern')
  },

  'a note replaces the whole earlier note at its place': async ({ store, another, now }) => {
    await written(store, draft('c', 0))
    const until = (await now()) + MINUTE
    await store.note(at('c'), noted(1, { data: 'untouched' }))
    await store.note(at('c'), noted(2, { data: { old: true } }))
    for (const newer of [noted(2, { at: NOON + 1, until, data: 'new' }), noted(2, { at: NOON + 2, data: null })]) {
      await (await another()).note(at('c'), newer)
      same(await notesOf(store), [newer, noted(1, { data: 'untouched' })], 'the notes')
    }
  },

  'a note is not visible in another conversation or tenant': async ({ store }) => {
    const places = ['', 'acme', 'globex'].flatMap((tenant) => ['c', 'd'].map((id) => at(id, tenant)))
    for (const { tenant, id } of places) await written(store, draft(id, 0, { tenant }))
    for (const to of places.slice(0, -1)) await store.note(to, noted(1, { data: `${to.tenant}/${to.id}` }))
    for (const from of places.slice(0, -1)) {
      same(await dataOf(store, {}, from), [`${from.tenant}/${from.id}`], `the notes of ${from.tenant}/${from.id}`)
    }
    same(await dataOf(store, {}, places.at(-1)), [], 'the notes of who has none')
  },

  'a note on a conversation without events is dropped': async ({ store, now }) => {
    await store.note(at('c'), noted(1, { until: (await now()) - MINUTE }))
    await store.note(at('c'), noted(1))
    same(await notesOf(store), [], 'the notes')
    same(await store.load(at('c')), undefined, 'the conversation')
    same((await store.list({ tenant: '', limit: 9 })).items, [], 'the list')
    await written(store, draft('c', 0))
    same(await notesOf(store), [], 'the notes, after the first event')
    same(await store.sweep(9), 0, 'how many were swept')
  },

  'data that is difficult for databases does not change': async ({ store, another }) => {
    await written(store, draft('c', 0))
    const values = [...Object.values(TEXTS), ...Object.values(OBJECTS), ...NUMBERS, null, false, 0, '', [], {}]
    for (const [nth, data] of values.entries()) await store.note(at('c'), noted(nth + 1, { data }))
    const kept = await dataOf(await another())
    for (const [nth, value] of values.toReversed().entries()) sameText(kept[nth], value, `the data of note ${nth}`)
  },

  'deep data does not change': async ({ store, another }) => {
    await written(store, draft('c', 0))
    const text = `${'['.repeat(1000)}${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}${']'.repeat(1000)}`
    await store.note(at('c'), noted(1, { data: JSON.parse(text) as Json }))
    sameText((await dataOf(await another()))[0], JSON.parse(text) as Json, 'the data')
  },

  'a megabyte does not change': async ({ store, another }) => {
    await written(store, draft('c', 0))
    const data = { text: 'megabyte ü\u0000'.repeat(96_000), '\ud800': Array.from({ length: 1000 }, (_, n) => n / 7) }
    for (const seq of [1, 2]) await store.note(at('c'), noted(seq, { data }))
    for (const kept of await dataOf(await another())) sameText(kept, data, 'the data')
  },

  'kinds and conversations of notes may have any name': async ({ store, another }) => {
    for (const name of NAMES) {
      await written(store, draft(name, 0, { tenant: name }))
      for (const kind of [name, 'summary']) await store.note(at(name, name), noted(1, { kind, data: [kind, name] }))
    }
    await written(store, draft('c', 0))
    for (const [n, kind] of NAMES.entries()) await store.note(at('c'), noted(1, { kind, data: n }))
    const other = await another()
    for (const [n, name] of NAMES.entries()) {
      same(await notesOf(other, { kind: name }), [noted(1, { kind: name, data: n })], `of kind ${name}`)
      for (const kind of [name, 'summary']) {
        same(await dataOf(other, { kind }, at(name, name)), [[kind, name]], `of kind ${kind}, of ${name}`)
      }
    }
  },

  'a note exists until it expires': async ({ store, now, advance }) => {
    await written(store, draft('c', 0))
    const start = await now()
    await store.note(at('c'), noted(1))
    for (const [seq, minutes] of [3, 1, 2].entries()) {
      await store.note(at('c'), noted(seq + 2, { until: start + minutes * 10 * MINUTE }))
    }
    for (const left of [[4, 3, 2, 1], [4, 2, 1], [2, 1], [1], [1]]) {
      same(await seqsOf(store), left, 'the seqs')
      await advance(left.length === 4 ? 15 * MINUTE : 10 * MINUTE)
    }
  },

  'it expires at exactly the given time': async ({ store, now }) => {
    await written(store, draft('c', 0))
    await store.note(at('c'), noted(1, { until: await now() }))
    same(await seqsOf(store), [], 'the seqs')
    same(await store.sweep(9), 1, 'how many were swept')
  },

  'expired notes are not returned': async ({ store, now }) => {
    await written(store, draft('c', 0))
    const until = (await now()) - MINUTE
    for (const seq of [1, 2, 3, 4, 5]) await store.note(at('c'), noted(seq, seq > 2 ? { until } : {}))
    same(await seqsOf(store, { limit: 2 }), [2, 1], 'two of them')
  },

  'a note can be written again after it expired': async ({ store, now }) => {
    await written(store, draft('c', 0))
    const start = await now()
    await store.note(at('c'), noted(1, { until: start - MINUTE, data: 'old' }))
    await store.note(at('c'), noted(1, { until: start + 10 * MINUTE, data: 'new' }))
    same(await dataOf(store), ['new'], 'the note')
    same(await store.sweep(9), 0, 'how many were swept')
    same(await dataOf(store), ['new'], 'the note, after sweeping')
  },

  'a sweep removes all expired notes, and nothing else': async ({ store, another, now, advance }) => {
    const start = await now()
    const places = [at('c'), at('d'), at('c', 'acme')]
    for (const { tenant, id } of places) {
      await written(store, draft(id, 0, { tenant }))
      for (const [seq, until] of [start + 10 * MINUTE, start + 60 * MINUTE, start - MINUTE].entries()) {
        await store.note(at(id, tenant), noted(seq + 1, { until }))
      }
      await store.note(at(id, tenant), noted(4))
    }
    const other = await another()
    same(await other.sweep(100), 3, 'how many were swept at first')
    same(await store.sweep(100), 0, 'how many were swept right after')
    for (const from of places) same(await seqsOf(store, {}, from), [4, 2, 1], 'what is left')
    await advance(20 * MINUTE)
    same(await store.sweep(100), 3, 'how many were swept later')
    for (const from of places) same(await seqsOf(other, {}, from), [4, 2], 'what is left then')
  },

  'a sweep removes at most `limit` notes': async ({ store, now }) => {
    const until = (await now()) - MINUTE
    for (const id of ['c', 'd']) {
      await written(store, draft(id, 0))
      for (const seq of [1, 2, 3]) await store.note(at(id), noted(seq, { until }))
      await store.note(at(id), noted(4))
    }
    const swept = []
    for (const limit of [2, 3, 2, 2]) swept.push(await store.sweep(limit))
    same(swept, [2, 3, 1, 0], 'how many were swept')
    for (const id of ['c', 'd']) same(await seqsOf(store, {}, at(id)), [4], 'what is left')
  },

  'a sweep can remove a thousand notes': async ({ store, now }) => {
    await written(store, draft('c', 0))
    const until = (await now()) - MINUTE
    const noting = Array.from({ length: 1250 }, (_, n) => store.note(at('c'), noted(n + 1, n < 50 ? {} : { until })))
    await Promise.all(noting)
    same(await store.sweep(1000), 1000, 'how many were swept')
    same(await store.sweep(1000), 200, 'how many were swept then')
    same((await seqsOf(store)).length, 50, 'how many are left')
  },

  'a note of another handle is read at once': async ({ store, another }) => {
    const other = await another()
    await written(store, draft('c', 0))
    for (let n = 1; n <= 20; n++) {
      const [one, two] = n % 2 ? [store, other] : [other, store]
      await one.note(at('c'), noted(1, { data: n }))
      same(await dataOf(two), [n], 'the note')
    }
  },

  'a note changes no event and no row': async ({ store, now }) => {
    const start = await now()
    await store.beat('a', 10 * MINUTE)
    const write = draft('c', 0, {
      many: 3,
      status: 'running',
      node: 'a',
      key: 'k',
      base: { kept: true },
      wakeAt: start + 60 * MINUTE,
      holds: [hold('x', { seqs: [2] })],
    })
    const { epoch } = await written(store, write)
    const before = await everything(store)
    const told: number[] = []
    const stop = store.listen((_what, seq) => void told.push(seq))
    for (const seq of [0, 1, 3, 4, 99]) {
      await store.note(at('c'), noted(seq))
      await store.note(at('c'), noted(seq, { kind: 'over', until: start - MINUTE }))
    }
    same(await everything(store), before, 'what is told of the conversation')
    same(await store.sweep(99), 5, 'how many were swept')
    same(await everything(store), before, 'what is told of it, after sweeping')
    stop()
    holds(
      told.every((seq) => seq <= 3),
      `no subscriber is told of a seq that does not exist (${told.join(', ')})`,
    )
    same((await written(store, write)).events, logged(write), 'the write given again')
    await written(store, draft('c', 3, { status: 'running', epoch }))
    same(await seqsOf(store), [99, 4, 3, 1, 0], 'the notes, after another write')
  },
}

/** Writes notes of two kinds, one of which expires. For tests of single stores. */
export async function noteStory(store: Store, until: number): Promise<void> {
  await written(store, draft('c', 0))
  for (const seq of [1, 2]) await store.note(at('c'), noted(seq, { data: 'older' }))
  for (const seq of [1, 2]) await store.note(at('c'), noted(seq, { data: { seq } }))
  await store.note(at('c'), noted(1, { kind: 'audit', until, data: 'x'.repeat(10_000) }))
}

export async function sameNoteStory(store: Store, until: number): Promise<void> {
  same(await notesOf(store), [noted(2, { data: { seq: 2 } }), noted(1, { data: { seq: 1 } })], 'the summaries')
  const audit = noted(1, { kind: 'audit', until, data: 'x'.repeat(10_000) })
  same(await notesOf(store, { kind: 'audit' }), [audit], 'the audit')
}

export function noted(seq: number, given: Partial<Note> = {}): Note {
  return { kind: 'summary', seq, at: NOON, data: `at ${seq}`, ...given }
}

interface Asked {
  readonly kind?: string
  readonly before?: number
  readonly limit?: number
}

function notesOf(store: Store, asked: Asked = {}, from: Address = at('c')): Promise<readonly Note[]> {
  return store.notes(from, { kind: 'summary', limit: 100, ...asked })
}

async function seqsOf(store: Store, asked?: Asked, from?: Address): Promise<number[]> {
  return (await notesOf(store, asked, from)).map(({ seq }) => seq)
}

export async function dataOf(store: Store, asked?: Asked, from?: Address): Promise<Json[]> {
  return (await notesOf(store, asked, from)).map(({ data }) => data)
}

/** As text, including the order of keys. */
function sameText(actual: Json | undefined, expected: Json, what: string): void {
  holds(JSON.stringify(actual) === JSON.stringify(expected), `${what} is the same as it was given`)
}

async function everything(store: Store): Promise<unknown> {
  const { next: _next, ...pending } = await store.pending({ tenant: '', limit: 9 })
  return {
    log: await logOf(store, at('c')),
    loaded: await store.load(at('c')),
    heads: await store.heads([at('c')]),
    list: (await store.list({ tenant: '', limit: 9 })).items,
    pending,
    call: await store.readCall(at('c'), 'x'),
    key: await store.findKey(at('c'), 'k'),
    due: await store.due({ agents: ['desk'], limit: 9 }),
  }
}
