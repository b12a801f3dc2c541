/** Opens the place of a command, and closes it when the command ends. */
import type { Client } from '@holdpoint/client'
import type { Command, Options } from './command.ts'
import type { ExitCode } from './io.ts'
import { UsageError } from './io.ts'
import { openPlace } from './place.ts'

export async function withPlace(
  { options, io }: Pick<Command, 'options' | 'io'>,
  work: (client: Client, where: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { url, key, store, app, tenant } = options
  const place = await openPlace(
    {
      ...(url !== undefined && { url }),
      ...(key !== undefined && { key }),
      ...(store !== undefined && { store }),
      ...(app !== undefined && { app }),
      ...(tenant !== undefined && { tenant }),
    },
    io,
  )
  try {
    return await work(place.client, place.where)
  } finally {
    await place.close()
  }
}

/** Exactly these arguments, by name. */
export function named<N extends string>(args: readonly string[], ...names: readonly N[]): Record<N, string> {
  if (args.length !== names.length)
    throw new UsageError(`This takes ${names.length === 0 ? 'no arguments' : names.join(' and ')}.`)
  return Object.fromEntries(names.map((name, index) => [name, args[index]])) as Record<N, string>
}

export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}".`)
  return Number(text)
}

export function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--${name} must be JSON. A text needs quotes: '"yes"'.`)
  }
}

export function actor({ by }: Options): { readonly by?: string } {
  return by === undefined ? {} : { by }
}
