/** `holdpoint rules`: what is allowed, asked and denied by rule. */
import { visible } from '@holdpoint/channels'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { table } from './output.ts'
import { actor, named, withPlace } from './with-place.ts'

export async function rules(command: Command): Promise<ExitCode> {
  const [what = 'list', ...args] = command.args
  const { options, out } = command
  return withPlace(command, async (client) => {
    switch (what) {
      case 'list': {
        named(args)
        const page = await client.rules.list()
        const rows = page.items.map(({ id, effect, words, used, shadow, revoked }) => [
          id,
          shadow ? `${effect} (shadow)` : effect,
          String(used),
          revoked ? `revoked by ${revoked.by}` : '',
          words,
        ])
        const titles = ['RULE', 'EFFECT', 'USED', 'STATE', 'WORDS']
        out.result(page, rows.length === 0 ? ['No rules.'] : table([titles, ...rows]))
        return EXIT.ok
      }
      case 'revoke': {
        const { RULE } = named(args, 'RULE')
        const { reason } = options
        const rule = await client.rules.revoke(RULE, { ...actor(options), ...(reason !== undefined && { reason }) })
        out.result(rule, [out.good(`revoked ${visible(rule.effect)} ${visible(rule.tool)}`)])
        return EXIT.ok
      }
    }
    throw new UsageError(`There is no "rules ${what}": there are list and revoke.`)
  })
}
