/**
 * Repairs a damaged log in a SQLite file or a PostgreSQL database. What is removed goes into a file, and the repair into the audit log of
 * administrative actions.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import { addAdminEntry, HoldpointError, messageOf, type Store } from '@holdpoint/core'
import { repairLog, type RepairedLog } from '@holdpoint/spaces'
import { nodePorts } from './node-ports.ts'
import { openStore } from './open-store.ts'

export interface RepairRequest {
  /** The conversation, autonomous agent's log or space. */
  readonly id: string
  /** Default: what belongs to no tenant. */
  readonly tenant?: string
  /** A new file, for everything that the store has of the log now. */
  readonly removedTo: string
  /** An export that has the log. Its events replace those that are not as they were written. */
  readonly from?: string
  /** Repairs also a log that a living process drives. Its appends are refused from then on. Default: false. */
  readonly fence?: boolean
  /** Who repairs it, for the audit log. Default: the user of the operating system. */
  readonly by?: string
}

/** Truncates a damaged log to what is as it was written, or restores it from an export. Other logs go on meanwhile. */
export async function repair(place: string | Store, request: RepairRequest): Promise<RepairedLog> {
  if (typeof place !== 'string') return repairIn(place, request)
  const store = await openStore(place)
  try {
    return await repairIn(store, request)
  } finally {
    await store.close()
  }
}

async function repairIn(store: Store, request: RepairRequest): Promise<RepairedLog> {
  const { id, tenant = '', removedTo, from, fence = false, by = userInfo().username } = request
  const lines = from === undefined ? undefined : linesOf(from)
  const { now } = nodePorts
  let begun: number | undefined
  const ended = (status: number): Promise<number | undefined> =>
    begun === undefined
      ? Promise.resolve(undefined)
      : addAdminEntry(store, tenant, { kind: 'ended', of: begun, status }, now)
  try {
    const repaired = await repairLog(
      store,
      { tenant, id },
      {
        ...(lines && { from: lines }),
        fence,
        keep: async (rows) => {
          writeNew(removedTo, rows)
          const details = {
            problem: (JSON.parse(rows[0]!) as { problems: string[] }).problems[0] ?? '',
            removedTo,
            fence,
          }
          const entry = {
            action: 'repairLog',
            target: { id },
            details: { ...details, ...(from !== undefined && { from }) },
          }
          begun = await addAdminEntry(store, tenant, { kind: 'begun', by, auth: 'application', ...entry }, now)
        },
      },
      nodePorts,
    )
    await ended(200)
    return repaired
  } catch (error) {
    await ended(500)
    throw error
  }
}

/** Only its owner can read it, and it is on the disk when this returns. */
function writeNew(file: string, lines: readonly string[]): void {
  let handle: number
  try {
    handle = openSync(file, 'wx', 0o600)
  } catch (error) {
    throw new HoldpointError('config-invalid', `${file} cannot be made: ${messageOf(error)}. Nothing was changed.`)
  }
  try {
    writeSync(handle, `${lines.join('\n')}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch (error) {
    throw new HoldpointError(
      'config-invalid',
      `The export ${file} cannot be read: ${messageOf(error)}. Nothing was changed.`,
    )
  }
}
