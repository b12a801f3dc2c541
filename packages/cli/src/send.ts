/** `holdpoint send`. */
import { visible } from '@holdpoint/channels'
import type { Command } from './command.ts'
import { EXIT, type ExitCode } from './io.ts'
import { actor, named, wholeNumber, withPlace } from './with-place.ts'

export async function send(command: Command): Promise<ExitCode> {
  const { options, out, io } = command
  const { CONVERSATION, TEXT } = named(command.args, 'CONVERSATION', 'TEXT')
  const wait = wholeNumber('wait', options.wait)
  const { agent } = options
  return withPlace(command, async (client) => {
    const sent = await client.conversations.send(CONVERSATION, TEXT, {
      ...actor(options),
      ...(agent !== undefined && { agent }),
      ...(wait !== undefined && { wait }),
      signal: io.signal,
    })
    if (!sent.ok) {
      out.result(sent, [out.bad(visible(sent.message))])
      return EXIT.refused
    }
    const { result } = sent
    const text = result?.status === 'done' ? visible(result.text) : undefined
    out.result(sent, [text ?? (result ? `The turn is ${result.status}.` : 'Accepted.')])
    return EXIT.ok
  })
}
