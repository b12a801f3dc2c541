/** `holdpoint verify`: checks an export with hashes, with no store and no network. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { messageOf } from '@holdpoint/core'
import { visible } from '@holdpoint/channels'
import { fingerprintsOf, verifyExport, type ExportReport } from 'holdpoint'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import type { Output } from './output.ts'
import { named } from './with-place.ts'

export async function verifyFile({ args, options, out }: Command): Promise<ExitCode> {
  const { FILE } = named(args, 'FILE')
  const keys = options.key === undefined ? undefined : await keysIn(options.key)
  const report = await reportOf(FILE, keys)
  out.result(report, linesOf(report, out))
  return report.ok ? EXIT.ok : EXIT.broken
}

async function keysIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`The public key cannot be read: ${messageOf(error)}`)
  })
  const keys = fingerprintsOf(text)
  if (!keys) throw new UsageError(`${file} is not a public key in PEM form. \`holdpoint signing-keys\` prints it.`)
  return keys
}

async function reportOf(file: string, keys: readonly string[] | undefined): Promise<ExportReport> {
  try {
    return await verifyExport(createReadStream(file), keys ? { keys } : {})
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new UsageError(`The file cannot be read: ${messageOf(error)}`)
    throw error
  }
}

function linesOf({ ok, logs, problems, notProven }: ExportReport, out: Output): readonly string[] {
  if (!ok)
    return [
      out.bad('This is not the log that was written:'),
      ...problems.map(({ line, message }) => `line ${line}: ${visible(message)}`),
    ]
  return [
    ...logs.map(({ id, events, signed }) => {
      const until = signed
        ? `signed up to event ${signed.seq} on ${new Date(signed.at).toISOString()} with the key ${signed.key}`
        : 'not signed'
      return `${visible(id)}: ${events} events, none of them changed, added, removed or moved; ${until}.`
    }),
    out.good('The file is as it was exported.'),
    'It does not prove:',
    ...notProven.map((each) => `- ${visible(each)}`),
  ]
}
