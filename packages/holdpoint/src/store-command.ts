/** `backup`, `restore`, `restored`, `verify`, `repair` and `move` as a command. `main.ts` runs it as `holdpoint-store`. */
import { HoldpointError } from '@holdpoint/core'
import type { MarkedRestored } from '@holdpoint/runtime'
import { parseArgs } from 'node:util'
import { verifyStore, type RepairedLog } from '@holdpoint/spaces'
import { readCellsConfig } from './cells/cells-config.ts'
import { openCells, type Cells } from './cells/open-cells.ts'
import { backup, backupWords, markRestored, restore } from './backup.ts'
import { openStore } from './open-store.ts'
import { repair } from './repair.ts'

const USAGE = `Usage:
  holdpoint-store backup <file> <new file>     copies a SQLite file, also while it is in use
  holdpoint-store restore <backup> <new file>  makes a SQLite file from a backup
  holdpoint-store restored <url>               marks a PostgreSQL database that was just restored
  holdpoint-store verify <file or url>         checks every log: its chain, its events and its rows
  holdpoint-store repair <file or url> <log> <new file> [--from <export>] [--tenant <name>] [--fence] [--by <name>]
                                               truncates a damaged log to what is as it was written, or restores it from an
                                               export. What the store has of it now goes into the new file
  holdpoint-store move <cells.json> <tenant> <cell>  moves a tenant to another cell, also while it is in use`

/** How many arguments each command takes. */
const COMMANDS = new Map([
  ['backup', 2],
  ['restore', 2],
  ['restored', 1],
  ['verify', 1],
  ['repair', 3],
  ['move', 3],
])

/** Returns what to print. Throws `config-invalid` with the usage for arguments that it does not know. */
export async function storeCommand(args: readonly string[]): Promise<string> {
  const { positionals, values } = read(args)
  const [command = '', ...given] = positionals
  const takesOptions = command === 'repair' || Object.keys(values).length === 0
  if (given.length !== COMMANDS.get(command) || !takesOptions) throw new HoldpointError('config-invalid', USAGE)
  const [from = '', to = '', third = ''] = given
  switch (command) {
    case 'backup':
      return backupWords(to, await backup(from, to))
    case 'restore':
      return `Restored to ${to}. ${summaryOf(await restore(from, to))}`
    case 'restored':
      return `Marked as restored. ${summaryOf(await markRestored(from))}`
    case 'verify':
      return verify(from)
    case 'repair':
      return reportOf(to, third, await repair(from, { id: to, removedTo: third, ...values }))
    case 'move':
      return move(await openCells(await readCellsConfig(from)), to, third)
    default:
      throw new HoldpointError('config-invalid', USAGE)
  }
}

const OPTIONS = {
  from: { type: 'string' },
  tenant: { type: 'string' },
  by: { type: 'string' },
  fence: { type: 'boolean' },
} as const

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch {
    throw new HoldpointError('config-invalid', USAGE)
  }
}

function reportOf(id: string, file: string, repaired: RepairedLog): string {
  const { problems, keptUntil, removedBatches, restoredEvents, seq } = repaired
  if (problems.length === 0) return `"${id}" is as it was written, up to seq ${seq}. Nothing was changed.`
  const rest = restoredEvents > 0 ? ` Events from the export: ${restoredEvents}.` : ''
  const end = seq === 0 ? 'Nothing of it could be kept, and it is gone.' : `It ends at seq ${seq} now.`
  return (
    `Repaired "${id}": ${problems.join(' ')}\nKept up to seq ${keptUntil}. Batches that were removed: ${removedBatches}.${rest} ${end}\n` +
    `What the store had of it is in ${file}.`
  )
}

/** Throws `log-damaged` with every problem. */
async function verify(place: string): Promise<string> {
  const store = await openStore(place)
  try {
    const { logs, events, withoutHash, problems } = await verifyStore(store)
    if (problems.length === 0)
      return `${logs} logs with ${events} events are as they were written. Batches from before the hash chain: ${withoutHash}.`
    const lines = problems.map(({ log, message, goodUntil }) =>
      log
        ? `${log.tenant === '' ? '' : `${log.tenant} / `}${log.id}, good until seq ${goodUntil}: ${message}`
        : message,
    )
    throw new HoldpointError('log-damaged', `Problems in ${logs} logs: ${problems.length}.\n${lines.join('\n')}`)
  } finally {
    await store.close()
  }
}

async function move(cells: Cells, tenant: string, to: string): Promise<string> {
  try {
    const { logs, documents, pausedMs } = await cells.move(tenant, to)
    const waited = `Messages and answers waited for ${(pausedMs / 1000).toFixed(1)} s.`
    return `Moved "${tenant}" to "${to}": ${logs} logs and ${documents} documents. ${waited}`
  } finally {
    await cells.close()
  }
}

function summaryOf({ conversations, marked, inDoubt, held }: MarkedRestored): string {
  return (
    `Of ${conversations} conversations, ${marked} were under way. Calls in doubt: ${inDoubt}. ` +
    `Holds that are asked about again: ${held}.`
  )
}
