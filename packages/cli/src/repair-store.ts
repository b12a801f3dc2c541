/** `holdpoint repair`. */
import { repair } from 'holdpoint'
import type { Command } from './command.ts'
import { EXIT, type ExitCode } from './io.ts'
import { named } from './with-place.ts'

export async function repairStore({ args, options, out }: Command): Promise<ExitCode> {
  const { STORE, CONVERSATION, 'NEW-FILE': removedTo } = named(args, 'STORE', 'CONVERSATION', 'NEW-FILE')
  const { from, tenant, by, fence } = options
  const repaired = await repair(STORE, {
    id: CONVERSATION,
    removedTo,
    ...(from !== undefined && { from }),
    ...(tenant !== undefined && { tenant }),
    ...(by !== undefined && { by }),
    ...(fence === true && { fence }),
  })
  const { problems, keptUntil, seq } = repaired
  out.result(
    repaired,
    problems.length === 0
      ? [`"${CONVERSATION}" is as it was written. Nothing was changed.`]
      : [
          ...problems,
          `Kept up to seq ${keptUntil}. It ends at seq ${seq} now. What the store had of it is in ${removedTo}.`,
        ],
  )
  return EXIT.ok
}
