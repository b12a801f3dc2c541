/** `holdpoint backup` and `restore`. */
import { backup, backupWords, restore } from 'holdpoint'
import type { Command } from './command.ts'
import { EXIT, type ExitCode } from './io.ts'
import { named } from './with-place.ts'

export async function backupStore({ args, out }: Command): Promise<ExitCode> {
  const { FILE, 'NEW-FILE': to } = named(args, 'FILE', 'NEW-FILE')
  const copied = await backup(FILE, to)
  out.result(copied, [backupWords(to, copied)])
  return EXIT.ok
}

export async function restoreStore({ args, out }: Command): Promise<ExitCode> {
  const { BACKUP, 'NEW-FILE': to } = named(args, 'BACKUP', 'NEW-FILE')
  const marked = await restore(BACKUP, to)
  const { conversations, inDoubt, held } = marked
  out.result(marked, [
    `Restored to ${to}: ${conversations} conversations, ${inDoubt} calls in doubt, ${held} holds that are asked about again.`,
  ])
  return EXIT.ok
}
