/** Opens a runtime on Node: with a SQLite file, a PostgreSQL database or another store. */
import { messageWithCauses, type Ports, type Store } from '@holdpoint/core'
import { checkRuntimeOptions, type RuntimeOptions } from '@holdpoint/runtime'
import { Runtime } from '@holdpoint/spaces'
import { closedAtExit } from './closed-at-exit.ts'
import { nodePorts } from './node-ports.ts'
import { openStore } from './open-store.ts'

export interface HoldpointOptions extends Omit<RuntimeOptions, 'store' | 'ports' | 'closeStore'> {
  /** The path of a file, the URL of a PostgreSQL database (`postgres://…`), or a store. The runtime closes a store that it opened, but not one that you pass. */
  readonly store: string | Store
  /** Another clock and other randomness, for tests. */
  readonly ports?: Ports
}

/** A plan costs a model call each time it is due. */
const PLAN_EVERY_MS = 60_000

export async function holdpoint(options: HoldpointOptions): Promise<Runtime> {
  // Before the store is opened, so that refused options leave no file behind.
  checkRuntimeOptions('holdpoint()', options, 'the path of a file, the URL of a PostgreSQL database (postgres://…)')
  const { store: given, ports = nodePorts, onProblem = warn, planEveryMs = PLAN_EVERY_MS, ...rest } = options
  const onWarning = (message: string, cause?: unknown): void => onProblem({ error: new Error(message, { cause }) })
  const store = typeof given === 'string' ? await openStore(given, { onWarning }) : given
  try {
    const closeStore = typeof given === 'string'
    return closedAtExit(await Runtime.open({ ...rest, store, ports, onProblem, planEveryMs, closeStore }))
  } catch (error) {
    if (typeof given === 'string') await store.close()
    throw error
  }
}

const warn: NonNullable<RuntimeOptions['onProblem']> = ({ error, conversation }) => {
  const where = conversation ? ` (conversation "${conversation.id}")` : ''
  process.emitWarning(`${messageWithCauses(error)}${where}`, 'HoldpointWarning')
}
