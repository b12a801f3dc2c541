/** Wrong about notes where there are several handles, or where one goes away. */
import type { Note, Store } from '@holdpoint/core'
import type { Broken, Handle } from './broken-store.ts'

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const brokenNoteHandles: readonly Broken[] = [
  {
    store: 'keeps notes until the first event',
    handle: keepsEarly,
    caughtBy: ['note: a note on a conversation without events is dropped'],
  },
  {
    store: 'keeps notes for itself',
    handle: ownNotes,
    caughtBy: [
      'note: a note of another handle is read at once',
      'race: of two notes at the same place, exactly one is stored',
      'crash: after close and open, the store has the notes',
      'crash: after a handle died, the store has its notes',
    ],
  },
  {
    store: 'keeps the notes of both who race',
    handle: keepsBoth,
    caughtBy: ['race: of two notes at the same place, exactly one is stored'],
  },
  {
    store: 'sweeps what it once saw to be over',
    handle: sweepsLate,
    caughtBy: ['race: a sweep does not remove a note that is written again at the same moment'],
  },
  {
    store: 'says noted before it is',
    handle: notesLate,
    caughtBy: ['crash: after a handle died, the store has its notes'],
  },
]

/** What is not there yet is remembered, and noted once it is. */
function keepsEarly(inner: Store): Handle {
  const early: Parameters<Store['note']>[] = []
  const note: Store['note'] = async (to, what) => {
    if ((await inner.heads([to]))[0] === 0) early.push([to, what])
    return inner.note(to, what)
  }
  const append: Store['append'] = async (write) => {
    const answer = await inner.append(write)
    for (const given of early.splice(0)) await inner.note(...given)
    return answer
  }
  return { store: { ...inner, note, append } }
}

let handles = 0

function ownNotes(inner: Store): Handle {
  const own = `handle ${++handles} `
  const store: Store = {
    ...inner,
    note: (to, note) => inner.note(to, { ...note, kind: own + note.kind }),
    notes: async (from, query) => {
      const notes = await inner.notes(from, { ...query, kind: own + query.kind })
      return notes.map((note) => ({ ...note, kind: query.kind }))
    },
  }
  return { store }
}

/** Looks whether there is one, and makes a row if not: two who look at the same time make two. */
function keepsBoth(inner: Store): Handle {
  const note: Store['note'] = async (to, what) => {
    const query = { kind: what.kind, before: what.seq + 1, limit: 1 }
    const [there] = await inner.notes(to, query)
    await later()
    const [meanwhile] = await inner.notes(to, query)
    if (there?.seq === what.seq || meanwhile?.seq !== what.seq) return inner.note(to, what)
    return inner.note(to, { ...what, seq: what.seq + 0.5 })
  }
  return { store: { ...inner, note } }
}

const overAt = new WeakMap<object, Map<string, readonly [Parameters<Store['note']>[0], Note]>>()

/** In two steps: which ones, and then those, whatever they are by then. */
function sweepsLate(inner: Store): Handle {
  // Handles on one store share its functions, so any of them tells which store it is.
  const ended = overAt.get(inner.beat) ?? new Map<string, readonly [Parameters<Store['note']>[0], Note]>()
  overAt.set(inner.beat, ended)
  const store: Store = {
    ...inner,
    note: async (to, what) => {
      if (what.until !== undefined) ended.set(JSON.stringify([to, what.kind, what.seq]), [to, what])
      return inner.note(to, what)
    },
    sweep: async (limit) => {
      const found = [...ended.values()]
      ended.clear()
      await later()
      for (const given of found) await inner.note(...given)
      return inner.sweep(limit)
    },
  }
  return { store }
}

function notesLate(inner: Store): Handle {
  let waiting: Parameters<Store['note']>[] = []
  const flush = async (): Promise<void> => {
    for (const given of waiting.splice(0)) await inner.note(...given)
  }
  const store: Store = {
    ...inner,
    note: async (...given) => void waiting.push(given),
    notes: async (...given) => {
      await flush()
      return inner.notes(...given)
    },
    close: flush,
  }
  return { store, kill: () => void (waiting = []) }
}
