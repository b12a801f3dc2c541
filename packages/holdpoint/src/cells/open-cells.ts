/** Opens the stores of all cells as one store, for one runtime or gateway. */
import type { Store } from '@holdpoint/core'
import { openStore } from '../open-store.ts'
import { nodePorts } from '../node-ports.ts'
import { CellStore } from './cell-store.ts'
import { checkCellsConfig, type CellsConfig } from './cells-config.ts'
import { Directory } from './directory.ts'
import { moveTenant, type MovedTenant, type MoveOptions } from './move-tenant.ts'

export interface Cells {
  /** For `holdpoint()` and the gateway. */
  readonly store: Store
  /** The cell that the tenant is in. */
  cellOf(tenant: string): Promise<string>
  /** Moves a tenant while it is in use. Messages and answers wait for the seconds of its last step, and nothing is lost. */
  move(tenant: string, to: string, options?: MoveOptions): Promise<MovedTenant>
  close(): Promise<void>
}

export interface OpenCellsOptions {
  /** Called when a cell does not answer. Others go on. */
  readonly onProblem?: (error: unknown) => void
}

export async function openCells(given: CellsConfig, { onProblem = () => {} }: OpenCellsOptions = {}): Promise<Cells> {
  const { cells: places, home, tenants = {}, otherTenants = home } = checkCellsConfig(given)
  const cells = new Map<string, Store>()
  const onWarning = (message: string, cause?: unknown): void => onProblem(new Error(message, { cause }))
  try {
    for (const [name, place] of Object.entries(places)) cells.set(name, await openStore(place, { onWarning }))
  } catch (error) {
    for (const store of cells.values()) await store.close()
    throw error
  }
  const directory = new Directory(cells.get(home)!, home, (tenant) =>
    Object.hasOwn(tenants, tenant) ? tenants[tenant]! : otherTenants,
  )
  const store = new CellStore(cells, home, directory, onProblem)
  return {
    store,
    cellOf: async (tenant) => (await directory.placeOf(tenant)).cell,
    move: (tenant, to, options = {}) => moveTenant(cells, directory, { ...options, tenant, to }, nodePorts),
    close: () => store.close(),
  }
}
