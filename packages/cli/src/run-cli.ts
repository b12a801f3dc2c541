/** Reads the arguments, runs the command, and turns what went wrong into one line and an exit code. */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { messageWithCauses } from '@holdpoint/core'
import { HoldpointHttpError } from '@holdpoint/client'
import { HoldpointError } from 'holdpoint'
import { CLI_OPTIONS } from './cli-options.ts'
import type { Options } from './command.ts'
import { COMMANDS, type CommandName } from './commands.ts'
import { EXIT, UsageError, type ExitCode, type Io } from './io.ts'
import { Output } from './output.ts'
import { usage } from './usage.ts'

export async function runCli(args: readonly string[], io: Io): Promise<ExitCode> {
  let json = args.includes('--json')
  try {
    const { values, positionals } = parse(args)
    json = values.json === true
    const [name = 'help', ...rest] = positionals
    if (values.version) {
      io.stdout.write(`${await version()}\n`)
      return EXIT.ok
    }
    if (values.help || name === 'help') {
      io.stdout.write(usage(values.help ? name : rest[0]))
      return EXIT.ok
    }
    if (!isCommand(name)) throw new UsageError(`There is no command "${name}". \`holdpoint help\` lists them.`)
    return await COMMANDS[name]({ args: rest, options: values, io, out: new Output(io, json) })
  } catch (error) {
    return report(error, json, io)
  }
}

function parse(args: readonly string[]): { readonly values: Options; readonly positionals: string[] } {
  try {
    const guarded = args.map((arg) => (startsLikeAnId(arg) ? GUARD + arg : arg))
    const { values, positionals } = parseArgs({
      args: guarded,
      options: CLI_OPTIONS,
      allowPositionals: true,
      strict: true,
    })
    const plain = Object.entries(values).map(([name, value]) => [name, withoutGuard(value)])
    return { values: Object.fromEntries(plain) as Options, positionals: positionals.map(withoutGuard) }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Random ids may begin with a dash. The only option with one dash is `-h`. */
function startsLikeAnId(arg: string): boolean {
  return /^-[^-]./.test(arg)
}

const GUARD = '\0'

function withoutGuard<T>(value: T): T {
  return (typeof value === 'string' && value.startsWith(GUARD) ? value.slice(1) : value) as T
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}

function report(error: unknown, json: boolean, io: Io): ExitCode {
  const known = error instanceof UsageError || error instanceof HoldpointHttpError || HoldpointError.is(error)
  if (!known) throw error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const message = messageWithCauses(error)
  io.stderr.write(
    json ? `${JSON.stringify({ error: message, ...(code !== undefined && { code }) })}\n` : `holdpoint: ${message}\n`,
  )
  if (error instanceof UsageError) return EXIT.usage
  const refused = error instanceof HoldpointHttpError && error.status >= 400 && error.status < 500
  return refused ? EXIT.refused : EXIT.broken
}

async function version(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}
