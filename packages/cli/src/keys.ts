/** `holdpoint keys`. */
import type { Scope } from '@holdpoint/client'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { table } from './output.ts'
import { named, withPlace } from './with-place.ts'

const SCOPES: readonly Scope[] = ['admin', 'agent', 'worker', 'resolver', 'reader', 'conversations:read-all']

export async function keys(command: Command): Promise<ExitCode> {
  const [what = 'list', ...args] = command.args
  const { options, out } = command
  return withPlace(command, async (client) => {
    switch (what) {
      case 'list': {
        named(args)
        const page = await client.keys.list()
        const rows = page.items.map(({ id, name, scopes }) => [id, name, scopes.join(' ')])
        out.result(page, rows.length === 0 ? ['No keys.'] : table([['ID', 'NAME', 'SCOPES'], ...rows]))
        return EXIT.ok
      }
      case 'create': {
        const { NAME } = named(args, 'NAME')
        const scopes = (options.scope ?? []).map((given) => {
          const scope = SCOPES.find((each) => each === given)
          if (!scope) throw new UsageError(`--scope is one of ${SCOPES.join(', ')}, not "${given}".`)
          return scope
        })
        if (scopes.length === 0) throw new UsageError(`Give --scope, one of ${SCOPES.join(', ')}.`)
        const people = options['acts-for']
        const made = await client.keys.create({ name: NAME, scopes, ...(people && { mayActFor: people }) })
        out.note('The key is shown only now.')
        out.result(made, [made.key ?? ''])
        return EXIT.ok
      }
      case 'revoke': {
        const { ID } = named(args, 'ID')
        await client.keys.revoke(ID)
        out.result({ revoked: ID }, [out.good('revoked')])
        return EXIT.ok
      }
    }
    throw new UsageError(`There is no "keys ${what}": there are list, create and revoke.`)
  })
}
