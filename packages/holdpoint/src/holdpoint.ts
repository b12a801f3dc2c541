/** Opens a runtime on Node: on a SQLite file unless a database server, or a store of one's own, is given. */
import {
  checkRuntimeOptions,
  HoldpointError,
  messageOf,
  Runtime,
  type Ports,
  type RuntimeOptions,
  type Store,
} from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { nodePorts } from './node-ports.ts'

export interface HoldpointOptions extends Omit<RuntimeOptions, 'store' | 'ports' | 'closeStore'> {
  /** The path of a file, the URL of a PostgreSQL database (`postgres://…`), or a store. A store is closed by who made it. */
  readonly store: string | Store
  /** Another clock and other chance, for tests. */
  readonly ports?: Ports
}

export async function holdpoint(options: HoldpointOptions): Promise<Runtime> {
  // Before the store is opened: what is refused leaves no file behind.
  checkRuntimeOptions('holdpoint()', options, 'the path of a file, the URL of a PostgreSQL database (postgres://…)')
  const { store: given, ports = nodePorts, onProblem = warn, ...rest } = options
  const store = typeof given === 'string' ? await openStore(given) : given
  try {
    return await Runtime.open({ ...rest, store, ports, onProblem, closeStore: typeof given === 'string' })
  } catch (error) {
    if (typeof given === 'string') await store.close()
    throw error
  }
}

/** The store at a place: a file, or a database by its URL. Whoever opens it closes it. */
export function openStore(place: string): Promise<Store> {
  return /^postgres(ql)?:\/\//.test(place) ? openPostgres(place) : sqliteStore(place)
}

/** A package of its own, so that whoever needs no server installs no driver for one. */
async function openPostgres(url: string): Promise<Store> {
  const name = '@holdpoint/store-postgres'
  const found = (await import(name).catch((error: unknown) => {
    if (!isMissing(error, name)) throw error // it is there, and something else is wrong with it
    throw new HoldpointError('store-unusable', `For PostgreSQL, install ${name} (npm i ${name}).`, { cause: error })
  })) as { postgresStore(url: string): Promise<Store> }
  return found.postgresStore(url)
}

/** The package itself, and not one that it needs. */
function isMissing(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(`'${name}'`)
}

const warn: NonNullable<RuntimeOptions['onProblem']> = ({ error, conversation }) => {
  const where = conversation ? ` (conversation "${conversation.id}")` : ''
  process.emitWarning(`${messageOf(error)}${where}`, 'HoldpointWarning')
}
