/** The configuration of cells: which databases there are, and which one a tenant begins in. */
import { HoldpointError, messageOf } from '@holdpoint/core'
import { readFile } from 'node:fs/promises'

export interface CellsConfig {
  /** The store of each cell by its name: the URL of a PostgreSQL database, or the path of a file. */
  readonly cells: Readonly<Record<string, string>>
  /** The cell that has the directory, and everything that belongs to no tenant: keys by their hash, sessions of people. */
  readonly home: string
  /** Where tenants begin. A tenant that has data stays in its cell until it is moved, whatever this says. */
  readonly tenants?: Readonly<Record<string, string>>
  /** Where all other tenants begin. Default: the home cell. */
  readonly otherTenants?: string
}

export async function readCellsConfig(file: string): Promise<CellsConfig> {
  try {
    return checkCellsConfig(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (HoldpointError.is(error)) throw error
    throw invalid(`The cells in ${file} could not be read: ${messageOf(error)}`)
  }
}

export function checkCellsConfig(given: unknown): CellsConfig {
  if (!isRecord(given)) throw invalid('The configuration of cells must be an object: { cells, home }.')
  const { cells, home, tenants = {}, otherTenants = home, ...more } = given
  const [other] = Object.keys(more)
  if (other !== undefined)
    throw invalid(`There is no setting "${other}" of cells. There are cells, home, tenants and otherTenants.`)
  if (!isTexts(cells) || Object.keys(cells).length === 0)
    throw invalid('"cells" must name at least one cell: { "north": "postgres://…" }.')
  if (!isTexts(tenants)) throw invalid('"tenants" must name a cell for each tenant: { "acme": "north" }.')
  if (Object.hasOwn(tenants, '')) throw invalid('The tenant "" is always in the home cell.')
  for (const [where, cell] of Object.entries({ home, otherTenants, ...tenants }))
    if (typeof cell !== 'string' || !Object.hasOwn(cells, cell))
      throw invalid(`"${where}" is in the cell ${JSON.stringify(cell)}, and there is no such cell.`)
  return { cells, home: home as string, tenants, otherTenants: otherTenants as string }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string')
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
