/** The lines of an export with hashes as text. The last one has the hash of all others. */
import { createHash } from 'node:crypto'
import { NO_HASH, type ChainLine } from '@holdpoint/core'
import type { ChainBody } from '@holdpoint/runtime'

/**
 * Yields each line without its line feed. `redact` removes secrets from a text: events in which it finds one are left out, because
 * changed ones would look forged.
 */
export async function* chainLines(
  lines: AsyncIterable<ChainBody>,
  redact: (text: string) => string = (text) => text,
): AsyncGenerator<string, void, undefined> {
  const all = createHash('sha256')
  let [logs, events] = [0, 0]
  for await (const line of lines) {
    const text = withoutSecrets(line, redact)
    all.update(`${text}\n`)
    if (line.type === 'log') logs++
    if (line.type === 'batch') events += line.events?.length ?? 0
    yield text
  }
  yield textOf({ type: 'end', logs, events, sha256: all.digest('hex') })
}

function withoutSecrets(line: ChainBody, redact: (text: string) => string): string {
  const text = textOf(line)
  if (redact(text) === text) return text
  // Without a hash, nothing would bind the events to the log.
  if (line.type !== 'batch' || line.hash === NO_HASH) return redact(text)
  const { events: _withheld, ...rest } = line
  return textOf(rest)
}

function textOf(line: ChainLine): string {
  return JSON.stringify(line)
}
