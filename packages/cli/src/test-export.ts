/** `holdpoint test export`: writes a recorded conversation as a test. */
import { writeFile } from 'node:fs/promises'
import { visible } from '@holdpoint/channels'
import type { LogEvent } from '@holdpoint/client'
import { playRecording, recordingOf, type PlayedTurn, type Recording } from '@holdpoint/testing'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { withPlace } from './with-place.ts'

export async function testExport(command: Command): Promise<ExitCode> {
  const [what, id, file, ...more] = command.args
  if (what !== 'export' || id === undefined || more.length > 0)
    throw new UsageError('This is `holdpoint test export CONVERSATION [FILE]`.')
  const { out } = command
  return withPlace(command, async (client) => {
    const events: LogEvent[] = []
    for await (const line of client.conversations.export(id)) if (line.type === 'event') events.push(line.event)
    const { recording, leftOut } = recordingOf(events)
    for (const { turnId, why } of leftOut) out.note(`Turn ${visible(turnId)} is left out: ${why}.`)
    if (recording.turns.length === 0) {
      out.result({ error: 'nothing-to-play' }, ['There is no turn that a test can play.'])
      return EXIT.refused
    }
    const text = testFile(id, recording, await playRecording(recording))
    if (file === undefined) {
      out.result({ file: text }, text.trimEnd().split('\n'))
      return EXIT.ok
    }
    await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${visible(file)} was not written: ${error.code ?? error.message}.`)
    })
    out.result({ file, turns: recording.turns.length }, [
      `Wrote ${visible(file)}. Run it: node --test ${visible(file)}`,
    ])
    return EXIT.ok
  })
}

/** The source of the test. Everything from the log is in it as JSON, so a text of a model cannot become code. */
function testFile(id: string, recording: Recording, expected: readonly PlayedTurn[]): string {
  return `// Recorded by \`holdpoint test export\`. The model answers as recorded, and no tool runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playRecording } from '@holdpoint/testing'

/** @type {import('@holdpoint/testing').Recording} */
const recording = ${literal(recording)}

/** The calls, with the arguments that the tools get, in order. */
const expected = ${literal(expected)}

test(${literal(`conversation ${id}: the same calls, arguments and order`)}, async () => {
  // Pass the tools of your agent to test them: playRecording(recording, { tools })
  assert.deepEqual(await playRecording(recording), expected)
})
`
}

/** In an object literal, the key `__proto__` would not be a property. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"__proto__":/gm, '$1["__proto__"]:')
}
