/** `holdpoint conversations`. */
import { visible } from '@holdpoint/channels'
import { messagesOf, type Client } from '@holdpoint/client'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { table } from './output.ts'
import { named, wholeNumber, withPlace } from './with-place.ts'

const STATUSES = ['running', 'held', 'idle'] as const

export async function conversations(command: Command): Promise<ExitCode> {
  const [what = 'list', ...args] = command.args
  const { out } = command
  return withPlace(command, async (client) => {
    switch (what) {
      case 'list':
        return listConversations(client, args, command)
      case 'show': {
        const { CONVERSATION } = named(args, 'CONVERSATION')
        const view = await client.conversations.view(CONVERSATION)
        if (!view) {
          out.result({ error: 'not-found' }, [`There is no conversation "${visible(CONVERSATION)}".`])
          return EXIT.refused
        }
        const lines = messagesOf(view).flatMap((message) => {
          if (!('parts' in message)) return []
          const { role, parts } = message
          return parts.flatMap((part) => (part.type === 'text' ? [`${out.bold(role)}: ${visible(part.text)}`] : []))
        })
        out.result(view, [...lines, out.dim(`agent ${visible(view.agent)}, ${view.status}`)])
        return EXIT.ok
      }
      case 'cancel': {
        const { CONVERSATION } = named(args, 'CONVERSATION')
        const result = await client.conversations.cancel(CONVERSATION)
        out.result(result, [result.ok ? out.good('cancelled') : visible(result.message)])
        return result.ok ? EXIT.ok : EXIT.refused
      }
    }
    throw new UsageError(`There is no "conversations ${what}": there are list, show and cancel.`)
  })
}

async function listConversations(
  client: Client,
  args: readonly string[],
  { options, out }: Command,
): Promise<ExitCode> {
  named(args)
  const { agent, after } = options
  const status = STATUSES.find((each) => each === options.status)
  if (options.status !== undefined && !status) throw new UsageError(`--status is one of ${STATUSES.join(', ')}.`)
  const limit = wholeNumber('limit', options.limit)
  const page = await client.conversations.list({
    ...(agent !== undefined && { agent }),
    ...(status && { status }),
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  })
  const rows = page.items.map(({ id, agent: from, status: is, updatedAt, firstMessage = '' }) => [
    id,
    from,
    is,
    new Date(updatedAt).toISOString(),
    firstMessage.slice(0, 60),
  ])
  const titles = ['CONVERSATION', 'AGENT', 'STATUS', 'CHANGED', 'FIRST MESSAGE']
  const lines = rows.length === 0 ? ['No conversations.'] : table([titles, ...rows])
  out.result(page, page.next === undefined ? lines : [...lines, `More: --after ${page.next}`])
  return EXIT.ok
}
