/** `holdpoint agents`. */
import type { Command } from './command.ts'
import { EXIT, type ExitCode } from './io.ts'
import { table } from './output.ts'
import { named, withPlace } from './with-place.ts'

export async function agents(command: Command): Promise<ExitCode> {
  named(command.args)
  return withPlace(command, async (client) => {
    const page = await client.agents.list()
    const rows = page.items.map(({ name, tools }) => [name, String(tools?.length ?? 0)])
    command.out.result(page, rows.length === 0 ? ['No agents.'] : table([['AGENT', 'TOOLS'], ...rows]))
    return EXIT.ok
  })
}
