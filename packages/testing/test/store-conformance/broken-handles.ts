/** Wrong only where there are several handles, or several writes at once, or where a handle goes away. */
import type { Append, Appended, Store } from '@holdpoint/core'
import type { Broken, Handle } from './broken-store.ts'

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const brokenHandles: readonly Broken[] = [
  {
    store: 'compares the seq before it writes, and not while',
    handle: comparesFirst,
    caughtBy: [
      'race: of two handles that race for a seq, exactly one wins',
      'race: of overlapping appends, one is stored completely and the others not at all',
    ],
  },
  {
    store: 'writes event by event',
    handle: eventByEvent,
    caughtBy: [
      'race: a reader sees only complete appends while others write',
      'race: a takeover and an append by the previous owner happen one after the other',
    ],
  },
  {
    store: 'says written before it is written',
    handle: (inner) => saysFirst(inner),
    caughtBy: ['crash: after close and open, the store has everything'],
  },
  {
    store: 'writes what is left when it is closed, and loses it when it dies',
    handle: writesOnClose,
    caughtBy: ['crash: no acknowledged write is lost, however soon after it the handle dies'],
  },
  {
    store: 'says failed of what it will write',
    handle: saysFailed,
    caughtBy: ['crash: a write in flight when its handle is closed is stored completely or not at all'],
  },
  {
    store: 'confirms only a log that it has',
    handle: confirmsWhatIsThere,
    throws: 'no such log',
    caughtBy: ['append: what the store shows is confirmed, for a log and where there is none'],
  },
  {
    store: 'keeps heads for itself',
    handle: staleHeads,
    caughtBy: [
      'read: an append of another handle is read at once',
      'race: fifty writers of twenty events in one conversation are each stored once',
    ],
  },
  {
    store: 'keeps logs for itself',
    handle: staleLogs,
    caughtBy: ['read: an append of another handle is read at once'],
  },
  {
    store: 'keeps marks for itself',
    handle: ownMarks,
    caughtBy: ['mark: an append that is repeated through another handle is written once'],
  },
  {
    store: 'keeps keys for itself',
    handle: ownKeys,
    caughtBy: ['key: a used key is reported even to a writer with an old seq'],
  },
  {
    store: 'takes over in two steps',
    handle: takesOverInTwoSteps,
    caughtBy: ['take over: of many nodes that take over at the same moment, one succeeds'],
  },
  {
    store: 'tells of its own writes alone',
    handle: hearsItself,
    caughtBy: ['listen: a listener is notified of an append by another handle, with its address and seq'],
  },
  {
    store: 'takes the others down with it',
    handle: takesDown,
    caughtBy: ['crash: other handles continue when one dies or is closed'],
  },
  {
    store: 'mixes conversations up under load',
    handle: mixesUp,
    caughtBy: ['race: two hundred conversations at once do not mix'],
  },
]

function confirmsWhatIsThere(inner: Store): Handle {
  const confirm: Store['confirm'] = async (of) => {
    if (!(await inner.load(of))) throw new Error('There is no such log.')
  }
  return { store: { ...inner, confirm } }
}

function comparesFirst(inner: Store): Handle {
  const append = async (write: Append): Promise<Appended> => {
    const [head = 0] = await inner.heads([write.to])
    if (head !== write.expectedSeq) return inner.append(write)
    await later()
    const { seq = 0, hash = '' } = (await inner.load(write.to)) ?? {}
    return inner.append({ ...write, expectedSeq: seq, follows: hash })
  }
  return { store: { ...inner, append } }
}

function eventByEvent(inner: Store): Handle {
  let dead = false
  const append = async (write: Append): Promise<Appended> => {
    const { key: _key, ...rest } = write
    let answer: Appended = { result: 'conflict' }
    const events = []
    for (const [n, event] of write.events.entries()) {
      if (dead) return { result: 'unknown', why: 'it died' }
      const { hash: follows } = answer.result === 'ok' ? answer : { hash: write.follows }
      const one = { ...rest, follows, mark: `${write.mark} ${n}`, events: [event], expectedSeq: write.expectedSeq + n }
      answer = await inner.append(n === 0 && write.key !== undefined ? { ...one, key: write.key } : one)
      if (answer.result !== 'ok') return answer
      events.push(...answer.events)
      await later()
    }
    return answer.result === 'ok' ? { ...answer, events } : answer
  }
  return { store: { ...inner, append }, kill: () => void (dead = true) }
}

/** The last writes are still on their way when it dies. */
function saysFirst(inner: Store, onClose = false): Handle {
  let waiting: Append[] = []
  const flush = async (): Promise<void> => {
    const writes = waiting
    waiting = []
    for (const write of writes) await inner.append(write)
  }
  const flushed =
    <In extends readonly unknown[], Out>(ask: (...given: In) => Promise<Out>) =>
    async (...given: In): Promise<Out> => {
      await flush()
      return ask(...given)
    }
  const store: Store = {
    ...inner,
    append: async (write) => {
      await flush()
      const [head] = await inner.heads([write.to])
      if (
        head !== write.expectedSeq ||
        write.epoch !== undefined ||
        write.node !== undefined ||
        write.key !== undefined
      )
        return inner.append(write)
      waiting.push(write)
      const events = write.events.map((event, n) => ({ ...event, seq: write.expectedSeq + n + 1, at: write.at }))
      return { result: 'ok', events, hash: '', epoch: 0, owned: false }
    },
    load: flushed(inner.load),
    read: flushed(inner.read),
    readBack: flushed(inner.readBack),
    readCall: flushed(inner.readCall),
    findCall: flushed(inner.findCall),
    heads: flushed(inner.heads),
    pending: flushed(inner.pending),
    list: flushed(inner.list),
    due: flushed(inner.due),
    takeOver: flushed(inner.takeOver),
    close: onClose ? flush : async () => void (waiting = []),
  }
  return { store, kill: () => void (waiting = []) }
}

function writesOnClose(inner: Store): Handle {
  return saysFirst(inner, true)
}

function saysFailed(inner: Store): Handle {
  let going = false
  const append = async (write: Append): Promise<Appended> => {
    await later()
    await later()
    const answer = await inner.append(write)
    return going ? { result: 'failed', why: 'it is going' } : answer
  }
  const go = async (): Promise<void> => {
    going = true
    await later()
    await later()
  }
  return { store: { ...inner, append, close: go }, kill: () => void (going = true) }
}

function staleHeads(inner: Store): Handle {
  const known = new Map<string, number>()
  const store: Store = {
    ...inner,
    append: async (write) => {
      const answer = await inner.append(write)
      if (answer.result === 'ok') known.set(JSON.stringify(write.to), write.expectedSeq + write.events.length)
      return answer
    },
    heads: async (of) => {
      const heads = await inner.heads(of)
      return of.map((address, n) => known.get(JSON.stringify(address)) ?? heads[n] ?? 0)
    },
  }
  return { store }
}

function staleLogs(inner: Store): Handle {
  const known = new Map<string, ReturnType<Store['load']>>()
  const load: Store['load'] = async (from) => {
    const id = JSON.stringify(from)
    const loaded = known.get(id) ?? inner.load(from)
    if ((await loaded) !== undefined) known.set(id, loaded)
    return loaded
  }
  return { store: { ...inner, load } }
}

let handles = 0

function ownMarks(inner: Store): Handle {
  const own = `handle ${++handles}`
  return { store: { ...inner, append: async (write) => inner.append({ ...write, mark: `${own} ${write.mark}` }) } }
}

function ownKeys(inner: Store): Handle {
  const own = `handle ${++handles}`
  const append: Store['append'] = async ({ key, ...write }) =>
    inner.append(key === undefined ? write : { ...write, key: `${own} ${key}` })
  return { store: { ...inner, append } }
}

function takesOverInTwoSteps(inner: Store): Handle {
  const takeOver: Store['takeOver'] = async (what, node) => {
    const { conversations } = await inner.due({ agents: ['desk', 'a', 'b'], limit: 1000 })
    if (!conversations.some(({ tenant, id }) => tenant === what.tenant && id === what.id)) return undefined
    await later()
    return (await inner.takeOver(what, node)) ?? 1
  }
  return { store: { ...inner, takeOver } }
}

function hearsItself(inner: Store): Handle {
  const listeners = new Set<Parameters<Store['listen']>[0]>()
  const store: Store = {
    ...inner,
    append: async (write) => {
      const answer = await inner.append(write)
      if (answer.result === 'ok') for (const tell of listeners) tell(write.to, answer.events.at(-1)?.seq ?? 0)
      return answer
    },
    listen: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
  return { store }
}

const down = new WeakSet<object>()

function takesDown(inner: Store): Handle {
  // Handles on one store share its functions, so any of them tells which store it is.
  const place = inner.beat
  const append: Store['append'] = async (write) =>
    down.has(place) ? { result: 'failed', why: 'closed' } : inner.append(write)
  return { store: { ...inner, append }, kill: () => void down.add(place) }
}

function mixesUp(inner: Store): Handle {
  let busy = 0
  let last: Append['to'] | undefined
  const append = async (write: Append): Promise<Appended> => {
    busy++
    try {
      await later()
      const to = busy > 100 && last ? last : write.to
      last = write.to
      const { seq = 0, hash = '' } = (to === write.to ? undefined : await inner.load(to)) ?? {}
      return await inner.append(to === write.to ? write : { ...write, to, expectedSeq: seq, follows: hash })
    } finally {
      busy--
    }
  }
  return { store: { ...inner, append } }
}
