/** `backup`, `restore`, `restored`, `verify` and `move` as a command. `main.ts` runs it as `holdpoint-store`. */
import { HoldpointError } from '@holdpoint/core'
import type { MarkedRestored } from '@holdpoint/runtime'
import { verifyStore } from '@holdpoint/spaces'
import { readCellsConfig } from './cells/cells-config.ts'
import { openCells, type Cells } from './cells/open-cells.ts'
import { backup, markRestored, restore } from './backup.ts'
import { openStore } from './open-store.ts'

const USAGE = `Usage:
  holdpoint-store backup <file> <new file>     copies a SQLite file, also while it is in use
  holdpoint-store restore <backup> <new file>  makes a SQLite file from a backup
  holdpoint-store restored <url>               marks a PostgreSQL database that was just restored
  holdpoint-store verify <file or url>         checks every log: its chain, its events and its rows
  holdpoint-store move <cells.json> <tenant> <cell>  moves a tenant to another cell, also while it is in use`

/** How many arguments each command takes. */
const COMMANDS = new Map([
  ['backup', 2],
  ['restore', 2],
  ['restored', 1],
  ['verify', 1],
  ['move', 3],
])

/** Returns what to print. Throws `config-invalid` with the usage for arguments that it does not know. */
export async function storeCommand(args: readonly string[]): Promise<string> {
  const [command = '', ...given] = args
  if (given.length !== COMMANDS.get(command)) throw new HoldpointError('config-invalid', USAGE)
  const [from = '', to = '', cell = ''] = given
  switch (command) {
    case 'backup': {
      const { bytes } = await backup(from, to)
      return `Backed up to ${to}: ${bytes} bytes.`
    }
    case 'restore':
      return `Restored to ${to}. ${summaryOf(await restore(from, to))}`
    case 'restored':
      return `Marked as restored. ${summaryOf(await markRestored(from))}`
    case 'verify':
      return verify(from)
    case 'move':
      return move(await openCells(await readCellsConfig(from)), to, cell)
    default:
      throw new HoldpointError('config-invalid', USAGE)
  }
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
