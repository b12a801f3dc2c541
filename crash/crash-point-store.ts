/**
 * A store with crash points: `call.started:after:3` kills this process with SIGKILL right after the third write that
 * contains a `call.started` became durable; `before` kills it right before the store gets that write. `takeOver` is a
 * crash point too.
 *
 * It can also be a broken store, to test the judge: `forgets` acknowledges some commands and writes nothing, `repeats`
 * writes some of them twice.
 */
import { sqliteStore } from '@holdpoint/store-sqlite'
import { postgresStore } from '@holdpoint/store-postgres'
import type { Append, Appended, Store } from '@holdpoint/core'

export interface CrashPointOptions {
  readonly point?: string | undefined
  readonly bad?: string | undefined
}

export async function crashPointStore(place: string, { point = '', bad }: CrashPointOptions): Promise<Store> {
  const store = spoilt(await open(place), bad)
  const [name = '', when = '', nth = '1'] = point.split(':')
  let seen = 0
  const around = async <T>(here: boolean, work: () => Promise<T>): Promise<T> => {
    const dies = here && ++seen === Number(nth)
    if (dies && when === 'before') die()
    const done = await work()
    if (dies && when === 'after') die()
    return done
  }
  return {
    ...store,
    append: (write) =>
      around(
        write.events.some(({ type }) => type === name),
        () => store.append(write),
      ),
    takeOver: (what, node) => around(name === 'takeOver', () => store.takeOver(what, node)),
  }
}

/** A file, or the URL of a database, perhaps with `#schema`. */
function open(place: string): Promise<Store> {
  if (!place.startsWith('postgres')) return sqliteStore(place)
  const [url = '', schema] = place.split('#')
  return postgresStore(url, schema === undefined ? {} : { schema })
}

const NOTHING: Appended = { result: 'ok', events: [], hash: '', epoch: 0, owned: false }

function spoilt(store: Store, bad: string | undefined): Store {
  let given = 0
  const now = ({ epoch }: Append): boolean => epoch === undefined && ++given % 5 === 0
  switch (bad) {
    case undefined:
      return store
    case 'forgets':
      return { ...store, append: async (write) => (now(write) ? NOTHING : store.append(write)) }
    case 'repeats':
      return {
        ...store,
        append: async (write) => {
          const written = await store.append(write)
          const { key: _key, events, expectedSeq, mark, ...rest } = write
          if (written.result !== 'ok' || events[0]?.type !== 'message.queued' || !now(write)) return written
          const again = { follows: written.hash, expectedSeq: expectedSeq + events.length, mark: `${mark}-again` }
          await store.append({ ...rest, ...again, events })
          return written
        },
      }
    default:
      throw new Error(`There is no broken store "${bad}".`)
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
