/** `holdpoint preferences`: when and where you are told of holds. Where your channels reach you is set by an admin. */
import { visible } from '@holdpoint/channels'
import type { Client } from '@holdpoint/client'
import type { Command, Options } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { named, withPlace } from './with-place.ts'

type Row = Awaited<ReturnType<Client['channels']['find']>>

export async function preferences(command: Command): Promise<ExitCode> {
  const [what = 'show', ...rest] = command.args
  if (what !== 'show' && what !== 'set')
    throw new UsageError(`There is no "preferences ${what}": there are show and set.`)
  named(rest)
  const changes = what === 'set' ? changesOf(command.options) : undefined
  return withPlace(command, async (client) => {
    const { options, out } = command
    const person = options.by ?? (await client.keys.me()).by
    const now = await client.channels.find(person)
    const row = changes ? await client.channels.prefer(person, changed(now, changes)) : now
    out.result(row, linesOf(row))
    return EXIT.ok
  })
}

interface Changes {
  readonly off: readonly string[]
  readonly on: readonly string[]
  /** `none` removes it. */
  readonly quiet: NonNullable<Row['quiet']> | 'none' | undefined
  readonly digest: NonNullable<Row['digest']> | 'none' | undefined
}

function changesOf({ off = [], on = [], quiet, digest, zone }: Options): Changes {
  const timeZone = zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  if (off.length + on.length === 0 && quiet === undefined && digest === undefined)
    throw new UsageError('Say what to set: --off, --on, --quiet or --digest.')
  const hours = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(quiet ?? '')
  const [, from = '', to = ''] = hours ?? []
  if (quiet !== undefined && quiet !== 'none' && !hours)
    throw new UsageError('--quiet must be two times, such as 22:00-07:00, or none.')
  const at = digest?.split(',') ?? []
  if (digest !== undefined && digest !== 'none' && !at.every((time) => /^\d{2}:\d{2}$/.test(time)))
    throw new UsageError('--digest must be times, such as 09:00,16:30, or none.')
  return {
    off,
    on,
    quiet: quiet === undefined || quiet === 'none' ? quiet : { from, to, timeZone },
    digest: digest === undefined || digest === 'none' ? digest : { at, timeZone },
  }
}

/** The route replaces all preferences, so what is not changed is sent again. */
function changed(row: Row, { off, on, quiet, digest }: Changes): Parameters<Client['channels']['prefer']>[1] {
  const {
    person: _person,
    addresses,
    resolver: _resolver,
    quiet: hours,
    digest: times,
    off: before = [],
    ...rest
  } = row
  const unknown = [...off, ...on].find((name) => !Object.hasOwn(addresses, name) && !before.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`You have no channel "${unknown}": there are ${Object.keys(addresses).join(', ')}.`)
  const silent = [...new Set([...before, ...off])].filter((name) => !on.includes(name))
  const newHours = quiet === 'none' ? undefined : (quiet ?? hours)
  const newTimes = digest === 'none' ? undefined : (digest ?? times)
  return {
    ...rest,
    ...(silent.length > 0 && { off: silent }),
    ...(newHours && { quiet: newHours }),
    ...(newTimes && { digest: newTimes }),
  }
}

function linesOf({ person, addresses, off = [], quiet, digest, agents, byAgent = {} }: Row): readonly string[] {
  const channels = Object.entries(addresses).map(
    ([name, address]) => `${name}: ${address}${off.includes(name) ? ' (off)' : ''}`,
  )
  return [
    person,
    ...(channels.length > 0 ? channels : ['No channels.']),
    `quiet: ${quiet ? `${quiet.from}-${quiet.to} ${quiet.timeZone}` : 'none'}`,
    `digest: ${digest ? `${digest.at.join(',')} ${digest.timeZone}` : 'none'}`,
    ...(agents ? [`only: ${agents.join(', ')}`] : []),
    ...Object.entries(byAgent).map(([name, settings]) => `${name}: ${JSON.stringify(settings)}`),
  ].map((line) => visible(line).replaceAll('\n', ' '))
}
