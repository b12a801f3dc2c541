/** Where each kind of store can be tried: empty places that are gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore, type Store } from '@holdpoint/core'
import { postgresStore } from '@holdpoint/store-postgres'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { manualClock, type StorePlace } from '@holdpoint/testing'
import { Client } from 'pg'
import { partitionTables } from './partition-tables.ts'
import { storeProcess, type Opened } from './store-process.ts'

export function memoryPlace(): StorePlace {
  const clock = manualClock()
  const store = memoryStore({ now: clock.now })
  return { open: async () => store, clock, end: async () => {} }
}

export function sqlitePlace(): StorePlace {
  const { path, end } = temporaryFile()
  const clock = manualClock()
  return killable({ open: () => sqliteStore(path, { now: clock.now }), clock, end })
}

/** On a server with its own running clock, which the test moves in addition. */
export function postgresPlace(url: string): StorePlace {
  const { schema, end } = temporarySchema(url)
  const clock = manualClock(0)
  const options = { schema, dispatcher: 'none', lanes: 1, readers: 2, clockOffset: clock.now } as const
  return killable({ open: () => postgresStore(url, options), clock, end })
}

/** The same on tables that are partitioned by tenant. */
export function partitionedPlace(url: string): StorePlace {
  const { schema, end } = temporarySchema(url)
  const clock = manualClock(0)
  const options = { schema, dispatcher: 'none', lanes: 1, readers: 2, clockOffset: clock.now } as const
  let partitioned: Promise<void> | undefined
  const partition = async (): Promise<void> => {
    await (await postgresStore(url, options)).close()
    const client = new Client(url)
    await client.connect()
    await partitionTables(client, schema)
    await client.end()
  }
  const open = async (): Promise<Store> => {
    await (partitioned ??= partition())
    return postgresStore(url, options)
  }
  return killable({ open, clock, end })
}

/** Every handle in a process of its own, which dies of SIGKILL. */
export function sqliteProcesses(): StorePlace {
  const { path, end } = temporaryFile()
  return processes({ kind: 'sqlite', path }, manualClock(), end)
}

export function postgresProcesses(url: string): StorePlace {
  const { schema, end } = temporarySchema(url)
  return processes({ kind: 'postgres', url, schema }, manualClock(0), end)
}

function processes(what: Opened, clock: ReturnType<typeof manualClock>, end: () => Promise<void>): StorePlace {
  const killers = new Map<Store, () => Promise<void>>()
  return {
    open: async () => {
      const { store, kill } = await storeProcess(what, clock.now)
      killers.set(store, kill)
      return store
    },
    clock,
    kill: (store) => killers.get(store)?.(),
    end: async () => {
      for (const kill of killers.values()) await kill()
      await end()
    },
  }
}

/** Handles in this process cannot be killed; they are left alone, and closed at the end so that nothing stays open. */
function killable(place: Omit<StorePlace, 'kill'>): StorePlace {
  const dead: Store[] = []
  return {
    ...place,
    kill: (store) => void dead.push(store),
    end: async () => {
      for (const store of dead) await store.close()
      await place.end()
    },
  }
}

function temporaryFile(): { readonly path: string; readonly end: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-stores-'))
  return { path: join(folder, 'store.db'), end: async () => rmSync(folder, { recursive: true, force: true }) }
}

let schemas = 0

function temporarySchema(url: string): { readonly schema: string; readonly end: () => Promise<void> } {
  const schema = `stores_${process.pid}_${++schemas}`
  return {
    schema,
    end: async () => {
      const client = new Client(url)
      await client.connect()
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    },
  }
}
