/**
 * Where the databases of a run are: files in a temporary folder, or databases of a private PostgreSQL server with its
 * defaults. All of it is removed afterwards.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { postgresForTests } from '../../test/postgres-server.ts'
import type { StoreKind } from './requests.ts'

export interface Places {
  /** Creates an empty database. Returns the path or the URL that a store is opened with. */
  make(name: string): Promise<string>
  /** Its size on disk after every connection is closed. */
  bytes(place: string): Promise<number>
  remove(place: string): Promise<void>
}

export async function withPlaces<T>(store: StoreKind, work: (places: Places) => Promise<T>): Promise<T> {
  return store === 'sqlite' ? withFiles(work) : withServer(work)
}

async function withFiles<T>(work: (places: Places) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'))
  let made = 0
  try {
    return await work({
      make: async (name) => join(folder, `${name}-${++made}.db`),
      bytes: async (file) => sum(filesOf(file).map(sizeOf)),
      remove: async (file) => filesOf(file).forEach((each) => rmSync(each, { force: true })),
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function filesOf(file: string): readonly string[] {
  return [file, `${file}-wal`, `${file}-shm`]
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

async function withServer<T>(work: (places: Places) => Promise<T>): Promise<T> {
  const server = await postgresForTests()
  let made = 0
  const at = (name: string): string => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  try {
    return await work({
      make: async (name) => {
        const database = `bench_${name}_${process.pid}_${++made}`
        await query(server.url, `create database ${database}`)
        return at(database)
      },
      // Everything that is not the server's own, indexes and TOAST included.
      bytes: async (place) => {
        const [row] = await query<{ bytes: string }>(
          place,
          `select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where c.relkind in ('r', 'm', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'`,
        )
        return Number(row?.bytes)
      },
      remove: async (place) => {
        await query(server.url, `drop database ${new URL(place).pathname.slice(1)} with (force)`)
      },
    })
  } finally {
    await server.stop()
  }
}

async function query<R extends object>(url: string, text: string): Promise<readonly R[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
