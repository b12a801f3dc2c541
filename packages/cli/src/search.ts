/** `holdpoint search`. */
import { visible } from '@holdpoint/channels'
import type { SearchFilter } from '@holdpoint/client'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { wholeNumber, withPlace } from './with-place.ts'

export async function search(command: Command): Promise<ExitCode> {
  const { args, options, out } = command
  const [text, ...more] = args
  if (more.length > 0) throw new UsageError('This takes one TEXT. Put words with spaces in quotes.')
  const { agent, tool, status, after } = options
  const limit = wholeNumber('limit', options.limit)
  const filter = { text, agent, tool, status, after, limit }
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as SearchFilter
  return withPlace(command, async (client) => {
    const page = await client.conversations.search(given)
    const lines = page.items.flatMap(({ id, agent: from, firstMessage = '', found }) => [
      `${out.bold(visible(id))} ${visible(from)} ${out.dim(visible(firstMessage))}`,
      ...found.map((each) => `  ${each.tool ?? each.kind} ${each.states?.join(', ') ?? ''} ${visible(each.text)}`),
    ])
    const { conversations } = page.searched
    const searched = `Searched ${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}.`
    out.result(page, [...lines, page.next === undefined ? searched : `${searched} More: --after '${page.next}'`])
    return EXIT.ok
  })
}
