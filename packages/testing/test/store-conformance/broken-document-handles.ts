/** Wrong about documents where there are several handles, or where one goes away. */
import type { Document, Put, Store } from '@holdpoint/core'
import type { Broken, Handle } from './broken-store.ts'

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const brokenDocumentHandles: readonly Broken[] = [
  {
    store: 'keeps documents for itself',
    handle: ownDocuments,
    caughtBy: [
      'document: a put of another handle is read at once',
      'crash: after close and open, the store has the documents',
      'crash: after a handle died, the store has its documents',
    ],
  },
  {
    store: 'remembers what it read of a document',
    handle: remembers,
    caughtBy: ['document: a put of another handle is read at once'],
  },
  {
    store: 'looks at the version, and writes after that',
    handle: looksFirst,
    caughtBy: [
      'race: of two handles that change a document, exactly one succeeds',
      'race: of many handles that create or remove a document, exactly one succeeds',
      'race: of many handles that replace an expired document, exactly one succeeds',
      'race: ten handles that count in one document lose no count',
    ],
  },
  {
    store: 'reads the version that it replaces, whatever comes between',
    handle: replacesOnce,
    caughtBy: ['race: puts without an expected version all succeed, one after the other'],
  },
  {
    store: 'tells of a conflict what it saw before it lost',
    handle: tellsOld,
    caughtBy: ['race: of two handles that change a document, exactly one succeeds'],
  },
  {
    store: 'sweeps documents that it once saw to be over',
    handle: sweepsLate,
    caughtBy: ['race: a sweep does not remove a document that is put again at the same moment'],
  },
  {
    store: 'says put before it is',
    handle: putsLate,
    caughtBy: ['crash: after a handle died, the store has its documents'],
  },
]

let handles = 0

function ownDocuments(inner: Store): Handle {
  const own = `handle ${++handles} `
  const back = (document: Document): Document => ({ ...document, kind: document.kind.slice(own.length) })
  const store: Store = {
    ...inner,
    put: (put) => inner.put({ ...put, kind: own + put.kind }),
    get: async (tenant, kind, id) => {
      const found = await inner.get(tenant, own + kind, id)
      return found && back(found)
    },
    documents: async (query) => {
      const { items, next } = await inner.documents({ ...query, kind: own + query.kind })
      return { items: items.map(back), next }
    },
  }
  return { store }
}

/** Until it puts something there itself. */
function remembers(inner: Store): Handle {
  const known = new Map<string, Document>()
  const store: Store = {
    ...inner,
    put: (put) => {
      known.delete(JSON.stringify([put.tenant, put.kind, put.id]))
      return inner.put(put)
    },
    get: async (...place) => {
      const found = known.get(JSON.stringify(place)) ?? (await inner.get(...place))
      if (found) known.set(JSON.stringify(place), found)
      return found
    },
  }
  return { store }
}

function looksFirst(inner: Store): Handle {
  const put: Store['put'] = async ({ expected, ...rest }) => {
    if (expected === undefined) return inner.put(rest)
    const version = (await inner.get(rest.tenant, rest.kind, rest.id))?.version ?? 0
    if (version !== expected) return { result: 'conflict', version }
    await later()
    return inner.put(rest)
  }
  return { store: { ...inner, put } }
}

/** As if a put without an expected version expected the current one, and did not care when that is gone. */
function replacesOnce(inner: Store): Handle {
  const put: Store['put'] = async (given) => {
    if (given.expected !== undefined) return inner.put(given)
    const version = (await inner.get(given.tenant, given.kind, given.id))?.version ?? 0
    await later()
    const answer = await inner.put({ ...given, expected: version })
    return { result: 'ok', version: answer.version }
  }
  return { store: { ...inner, put } }
}

function tellsOld(inner: Store): Handle {
  const put: Store['put'] = async (given) => {
    const version = (await inner.get(given.tenant, given.kind, given.id))?.version ?? 0
    await later()
    const answer = await inner.put(given)
    return answer.result === 'ok' ? answer : { result: 'conflict', version }
  }
  return { store: { ...inner, put } }
}

const ending = new WeakMap<object, Map<string, Put>>()

/** In two steps: which ones, and then those, whatever they are by then. */
function sweepsLate(inner: Store): Handle {
  // Handles on one store share its functions, so any of them tells which store it is.
  const ended = ending.get(inner.beat) ?? new Map<string, Put>()
  ending.set(inner.beat, ended)
  const store: Store = {
    ...inner,
    put: async (put) => {
      if (put.ttlMs !== undefined) ended.set(JSON.stringify([put.tenant, put.kind, put.id]), put)
      return inner.put(put)
    },
    sweep: async (limit) => {
      const found = [...ended.values()]
      ended.clear()
      await later()
      for (const { expected: _expected, ...put } of found) await inner.put(put)
      return inner.sweep(limit)
    },
  }
  return { store }
}

function putsLate(inner: Store): Handle {
  let waiting: Put[] = []
  const flush = async (): Promise<void> => {
    for (const { expected: _expected, ...put } of waiting.splice(0)) await inner.put(put)
  }
  const store: Store = {
    ...inner,
    put: async (put) => {
      waiting.push(put)
      return { result: 'ok', version: 1 }
    },
    get: async (...given) => {
      await flush()
      return inner.get(...given)
    },
    documents: async (query) => {
      await flush()
      return inner.documents(query)
    },
    close: flush,
  }
  return { store, kill: () => void (waiting = []) }
}
