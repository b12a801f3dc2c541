/** Many writers at once: one append succeeds at each seq, and the log has it completely and once. */
import type { Append, PutResult, Store } from '@holdpoint/core'
import { conflict, get, ok, put } from './document-story.ts'
import { at, draft, logged, logOf, note, sameLog, written } from './drafts.ts'
import { fail, holds, same } from './expect.ts'
import { dataOf, noted } from './note-cases.ts'
import type { Cases } from './scene.ts'

export const raceCases: Cases = {
  'of many first writes to a new conversation, one wins': async ({ store, another }) => {
    const other = await another()
    for (let round = 0; round < 10; round++) {
      const writes = Array.from({ length: 8 }, () => draft(`c${round}`, 0, { many: 2 }))
      const answers = await Promise.all(writes.map((write, n) => (n % 2 ? store : other).append(write)))
      const won = writes.filter((_, n) => answers[n]?.result === 'ok')
      same(won.length, 1, 'how many won')
      await sameLog(store, at(`c${round}`), won)
    }
  },

  'of two handles that race for a seq, exactly one wins': async ({ store, another }) => {
    const other = await another()
    const won: Append[] = []
    for (let seq = 0; seq < 50; seq++) {
      const [mine, theirs] = [draft('c', seq), draft('c', seq)]
      const [here, there] = await Promise.all([store.append(mine), other.append(theirs)])
      same([here.result, there.result].toSorted(), ['conflict', 'ok'], `the answers after ${seq}`)
      won.push(here.result === 'ok' ? mine : theirs)
    }
    await sameLog(store, at('c'), won)
  },

  'of overlapping appends, one is stored completely and the others not at all': async ({ store, another }) => {
    const handles = [store, await another()]
    await written(store, draft('c', 0))
    const writes = [1, 2, 3, 4, 5, 6].map((many) => draft('c', 1, { many, base: many }))
    const answers = await Promise.all(writes.map((write, n) => (handles[n % 2] ?? store).append(write)))
    const won = writes.filter((_, n) => answers[n]?.result === 'ok')
    same(won.length, 1, 'how many won')
    same((await logOf(store, at('c'))).slice(1), won.flatMap(logged), 'the log after the first event')
    same((await store.load(at('c')))?.base?.state, won[0]?.rows.base, 'the base')
  },

  'fifty writers of twenty events in one conversation are each stored once': async ({ store, another }) => {
    const handles = [store, await another(), await another()]
    await Promise.all(
      Array.from({ length: 50 }, async (_, writer) => {
        let seq = 0
        for (let nth = 0; nth < 20; nth++) {
          seq = await appendAtEnd(handles[writer % 3] ?? store, `${writer}/${nth}`, seq)
        }
      }),
    )
    const log = await logOf(store, at('c'))
    same(
      log.map(({ seq }) => seq),
      Array.from({ length: 1000 }, (_, n) => n + 1),
      'the seqs',
    )
    const texts = log.map((event) =>
      event.type === 'state.changed' && typeof event.value === 'string' ? event.value : '',
    )
    same(new Set(texts).size, 1000, 'how many different events there are')
    for (let writer = 0; writer < 50; writer++) {
      const own = texts.filter((text) => text.startsWith(`${writer}/`))
      same(
        own,
        Array.from({ length: 20 }, (_, nth) => `${writer}/${nth}`),
        `the events of writer ${writer}, in order`,
      )
    }
  },

  'two hundred conversations at once do not mix': async ({ store, another }) => {
    const handles = [store, await another()]
    const all = Array.from({ length: 200 }, (_, n) => [0, 2, 4].map((seq) => draft(`c${n}`, seq, { many: 2 })))
    await Promise.all(
      all.map(async (writes, n) => {
        for (const [nth, write] of writes.entries()) await written(handles[(n + nth) % 2] ?? store, write)
      }),
    )
    same(
      await store.heads(all.map((_, n) => at(`c${n}`))),
      all.map(() => 6),
      'heads',
    )
    await Promise.all(all.map((writes, n) => sameLog(handles[n % 2] ?? store, at(`c${n}`), writes)))
  },

  'a reader sees only complete appends while others write': async ({ store, another }) => {
    const reader = await another()
    let done = false
    const reading = async (): Promise<void> => {
      while (!done) {
        const [head = 0] = await reader.heads([at('c')])
        const loaded = await reader.load(at('c'))
        const seqs = (await reader.read(at('c'), 0)).map(({ seq }) => seq)
        same(
          seqs,
          Array.from(seqs, (_, n) => n + 1),
          'the seqs',
        )
        const seen = [head, loaded?.seq ?? 0, loaded?.base?.seq ?? 0, loaded?.events.length ?? 0]
        same(
          seen.map((seq) => seq % 3),
          [0, 0, 0, 0],
          `head, load and base (${seen.join(', ')}) end where a write ended`,
        )
        same(loaded?.base?.seq ?? 0, loaded?.base?.state ?? 0, 'the seq of the base, and the seq it was made at')
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const writing = async (): Promise<void> => {
      for (let n = 0; n < 50; n++) {
        await written(store, draft('c', n * 3, { many: 3, ...(n % 4 ? {} : { base: n * 3 + 3 }) }))
      }
    }
    await Promise.all([reading(), writing().finally(() => (done = true))])
  },

  'a takeover and an append by the previous owner happen one after the other': async ({ store, another }) => {
    const other = await another()
    await store.beat('b', 60_000)
    for (let round = 0; round < 20; round++) {
      const id = `c${round}`
      const first = draft(id, 0, { status: 'running', node: 'gone' })
      const { epoch } = await written(store, first)
      const late = draft(id, 1, { status: 'running', epoch, many: 2 })
      const [answer, newEpoch] = await Promise.all([store.append(late), other.takeOver(at(id), 'b')])
      holds(newEpoch !== undefined && newEpoch > epoch, 'the takeover succeeds, before or after')
      holds(answer.result === 'ok' || answer.result === 'fenced', `written or fenced, not ${answer.result}`)
      await sameLog(other, at(id), answer.result === 'ok' ? [first, late] : [first])
      const [seq = 0] = await other.heads([at(id)])
      same(await store.append(draft(id, seq, { epoch })), { result: 'fenced' }, 'the old driver, afterwards')
    }
  },

  'of two notes at the same place, exactly one is stored': async ({ store, another }) => {
    const other = await another()
    await written(store, draft('c', 0))
    for (let round = 0; round < 20; round++) {
      const [mine, theirs] = [`mine ${round}`, `theirs ${round}`]
      const both = [mine, theirs].map((data, n) => (n === 0 ? store : other).note(at('c'), noted(round % 5, { data })))
      await Promise.all(both)
      const [here, there] = [await dataOf(store), await dataOf(other)]
      same(here, there, 'what each handle reads')
      same(here.filter((data) => data === mine || data === theirs).length, 1, 'how many of the two are there')
      same(here.length, Math.min(round + 1, 5), 'how many there are')
    }
  },

  'a sweep does not remove a note that is written again at the same moment': async ({ store, another, now }) => {
    const other = await another()
    const until = (await now()) - 60_000
    await written(store, draft('c', 0))
    for (let round = 0; round < 20; round++) {
      for (const seq of [1, 2, 3]) await store.note(at('c'), noted(seq, { until }))
      const noting = [3, 1].map((seq) => store.note(at('c'), noted(seq, { data: round })))
      const [swept] = await Promise.all([other.sweep(9), ...noting])
      same(await dataOf(other), [round, round], 'the notes written again')
      holds(swept >= 1 && swept <= 3, `${swept} were swept, of one to three`)
      same(await store.sweep(9), 0, 'how many were left to sweep')
    }
  },

  'of two handles that change a document, exactly one succeeds': async ({ store, another }) => {
    const other = await another()
    for (let version = 0; version < 50; version++) {
      const answers = await Promise.all(
        [store, other].map((handle, n) => put(handle, 'a', { expected: version, data: [version, n] })),
      )
      same(answers.toSorted(lostFirst), [conflict(version + 1), ok(version + 1)], `the answers to ${version}`)
      const kept = await get(store, 'a')
      same(kept?.data, [version, answers.findIndex(({ result }) => result === 'ok')], 'what is there')
    }
  },

  'of many handles that create or remove a document, exactly one succeeds': async ({ store, another }) => {
    const handles = [store, await another()]
    for (let round = 0; round < 10; round++) {
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, n) => put(handles[n % 2] ?? store, 'a', { expected: 0, data: n })),
      )
      same(made.toSorted(lostFirst), [...Array.from({ length: 7 }, () => conflict(1)), ok(1)], 'who made it')
      same(
        (await get(store, 'a'))?.data,
        made.findIndex(({ result }) => result === 'ok'),
        'what is there',
      )
      const removed = await Promise.all(
        Array.from({ length: 8 }, (_, n) => put(handles[n % 2] ?? store, 'a', { expected: 1, data: undefined })),
      )
      same(removed.toSorted(lostFirst), [...Array.from({ length: 7 }, () => conflict(0)), ok(0)], 'who removed it')
    }
  },

  'of many handles that replace an expired document, exactly one succeeds': async ({ store, another, advance }) => {
    const handles = [store, await another()]
    for (let round = 0; round < 10; round++) {
      const taken = await Promise.all(
        Array.from({ length: 6 }, (_, n) => put(handles[n % 2] ?? store, 'a', { expected: 0, data: n, ttlMs: 60_000 })),
      )
      same(taken.filter(({ result }) => result === 'ok').length, 1, 'how many took it')
      same(
        (await get(store, 'a'))?.data,
        taken.findIndex(({ result }) => result === 'ok'),
        'who has it',
      )
      await advance(600_000)
    }
  },

  'ten handles that count in one document lose no count': async ({ store, another }) => {
    const handles = [store, await another(), await another()]
    await Promise.all(
      Array.from({ length: 10 }, async (_, who) => {
        for (let nth = 0; nth < 10; nth++) await countOn(handles[who % 3] ?? store)
      }),
    )
    const kept = await get(store, 'count')
    same([kept?.version, kept?.data], [100, 100], 'the version, and the count')
  },

  'puts without an expected version all succeed, one after the other': async ({ store, another }) => {
    const handles = [store, await another()]
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => put(handles[n % 2] ?? store, 'a', { data: n })),
    )
    const versions = answers.map(({ version }) => version)
    same(
      versions.toSorted((one, next) => one - next),
      Array.from({ length: 40 }, (_, n) => n + 1),
      'the versions',
    )
    same((await get(store, 'a'))?.data, versions.indexOf(40), 'what is there')
  },

  'a sweep does not remove a document that is put again at the same moment': async ({ store, another }) => {
    const other = await another()
    for (let round = 0; round < 20; round++) {
      for (const id of ['1', '2', '3']) await put(store, id, { ttlMs: 0 })
      const again = ['3', '1'].map((id) => put(store, id, { expected: 0, data: round }))
      const [swept, ...answers] = await Promise.all([other.sweep(9), ...again])
      for (const answer of answers) same(answer.result, 'ok', 'the answer')
      for (const id of ['3', '1']) same((await get(other, id))?.data, round, 'the documents put again')
      holds(swept >= 1 && swept <= 3, `${swept} were swept, of one to three`)
      same(await store.sweep(9), 0, 'how many were left to sweep')
    }
  },
}

function lostFirst(one: PutResult, other: PutResult): number {
  return one.result === other.result ? 0 : one.result === 'ok' ? 1 : -1
}

async function countOn(store: Store): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    const there = await get(store, 'count')
    const data = (typeof there?.data === 'number' ? there.data : 0) + 1
    const answer = await put(store, 'count', { expected: there?.version ?? 0, data })
    if (answer.result === 'ok') return
    holds(answer.version > (there?.version ?? 0), `a conflict tells of a later version, not of ${answer.version}`)
  }
  fail('counting never ended')
}

/** Appends one event at the end of the log, and retries after each conflict. Returns its seq. */
async function appendAtEnd(store: Store, text: string, known: number): Promise<number> {
  let write = draft('c', known, { events: [note(text)] })
  for (let tries = 0; tries < 10_000; tries++) {
    const answer = await store.append(write)
    if (answer.result === 'ok') return write.expectedSeq + 1
    if (answer.result === 'unknown') continue
    holds(answer.result === 'conflict', `a conflict and nothing else: ${JSON.stringify(answer)}`)
    const [head = 0] = await store.heads([at('c')])
    write = draft('c', head, { events: [note(text)] })
  }
  return fail(`writing ${text} never ended`)
}
