/** `holdpoint export` and `signing-keys`: what another party needs to check a log. */
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { named, withPlace } from './with-place.ts'

export async function exportLogs(command: Command): Promise<ExitCode> {
  const [id, ...more] = command.args
  const { options, io } = command
  if (more.length > 0) throw new UsageError('This takes one CONVERSATION, or none for everything.')
  return withPlace(command, async ({ conversations }) => {
    if (options.hashes) for await (const line of conversations.exportChain(id)) io.stdout.write(`${line}\n`)
    else for await (const line of conversations.export(id)) io.stdout.write(`${JSON.stringify(line)}\n`)
    return EXIT.ok
  })
}

export async function signingKeys(command: Command): Promise<ExitCode> {
  named(command.args)
  return withPlace(command, async ({ adminLog }) => {
    const keys = await adminLog.signingKeys()
    const none = ['This installation never signed.']
    // Only keys, so that the output is the file that `verify --key` reads.
    const pem = keys.items.flatMap(({ publicKey }) => publicKey.trimEnd().split('\n'))
    command.out.result(keys, pem.length === 0 ? none : pem)
    return EXIT.ok
  })
}
