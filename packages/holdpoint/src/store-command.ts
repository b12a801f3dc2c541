/** `backup`, `restore` and `restored` as a command. `main.ts` runs it as `holdpoint-store`. */
import { HoldpointError } from '@holdpoint/core'
import type { MarkedRestored } from '@holdpoint/runtime'
import { backup, markRestored, restore } from './backup.ts'

const USAGE = `Usage:
  holdpoint-store backup <file> <new file>     copies a SQLite file, also while it is in use
  holdpoint-store restore <backup> <new file>  makes a SQLite file from a backup
  holdpoint-store restored <url>               marks a PostgreSQL database that was just restored`

/** Returns what to print. Throws `config-invalid` with the usage for arguments that it does not know. */
export async function storeCommand(args: readonly string[]): Promise<string> {
  const [command = '', from, to, ...more] = args
  const wanted = command === 'restored' ? 2 : 3
  if (from === undefined || more.length > 0 || args.length !== wanted) throw new HoldpointError('config-invalid', USAGE)
  switch (command) {
    case 'backup': {
      const { bytes } = await backup(from, to!)
      return `Backed up to ${to}: ${bytes} bytes.`
    }
    case 'restore':
      return `Restored to ${to}. ${summaryOf(await restore(from, to!))}`
    case 'restored':
      return `Marked as restored. ${summaryOf(await markRestored(from))}`
    default:
      throw new HoldpointError('config-invalid', USAGE)
  }
}

function summaryOf({ conversations, marked, inDoubt, held }: MarkedRestored): string {
  return (
    `Of ${conversations} conversations, ${marked} were under way. Calls in doubt: ${inDoubt}. ` +
    `Holds that are asked about again: ${held}.`
  )
}
