/**
 * Attacks on an export with hashes by a forger who computes the last line again. Each is found, or named as not proven. `signed`: the
 * forger has no key. The texts mean the same, or nearly: a check that compares values would not find them.
 */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { memoryStore } from '@holdpoint/core'
import { manualClock, scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, chainLines, Runtime, signingKey, tool, verifyExport } from 'holdpoint'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

const clock = manualClock()
const key = signingKey({
  pem: String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
})
const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({ euros: z.number(), for: z.string() }),
  approval: { required: true },
  run: () => 'paid',
})
/** The lines of an export without the last one. */
let one: readonly string[]
let other: readonly string[]
let both: readonly string[]

beforeAll(async () => {
  const says = Array.from({ length: 2 }, () => [{ calls: [{ name: 'pay', input: { euros: 1, for: 'A/b' } }] }, 'Done.'])
  const desk = agent({ name: 'desk', model: scriptedModel(says.flat()), tools: [pay] })
  const store = memoryStore({ now: clock.now })
  const runtime = await Runtime.open({ store, agents: [desk], ports: testPorts({ clock }), signing: { key } })
  for (const id of ['c1', 'c2']) {
    const { holds } = await runtime.send(id, 'Pay', { by: 'ada' })
    await runtime.approve(id, holds[0]!.callId, { by: 'grace' })
    await runtime.continue(id)
  }
  const lines = async (id?: string): Promise<readonly string[]> =>
    (await Array.fromAsync(chainLines(runtime.exportChain(id === undefined ? {} : { id })))).slice(0, -1)
  one = await lines('c1')
  other = await lines('c2')
  both = await lines()
  await runtime.close()
})

/** With a last line that fits. */
function sealed(lines: readonly string[]): string {
  let [logs, events, last] = [0, 0, 0]
  for (const line of lines) {
    if (line.startsWith('{"type":"log"')) [logs, events, last] = [logs + 1, events + last, 0]
    last = Number(/^\{"type":"batch","seq":(\d+)/.exec(line)?.[1] ?? last)
  }
  const sha256 = createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex')
  return [...lines, JSON.stringify({ type: 'end', logs, events: events + last, sha256 }), ''].join('\n')
}

async function verified(file: string | Uint8Array, keys: readonly string[] = [key.key]): Promise<string> {
  const report = await verifyExport([Buffer.from(file)], { keys })
  return report.ok
    ? `not found; ${report.notProven.join(' ')}`
    : report.problems.map(({ message }) => message).join(' ')
}

/** The line that begins so, changed. */
function changed(type: string, change: (line: string) => string): string {
  const at = one.findIndex((line) => line.startsWith(`{"type":"${type}"`))
  const text = change(one[at]!)
  expect(text).not.toBe(one[at])
  return sealed(one.with(at, text))
}

const everywhere = (from: string | RegExp, to: string): string => {
  const lines = one.map((line) => line.replaceAll(from, to))
  expect(lines).not.toEqual(one)
  return sealed(lines)
}
const isHead = (line: string): boolean => line.startsWith('{"type":"signed-head"')

const NO_LINE = 'This is no line of an export with hashes'

test.for<[attack: string, file: () => string | Uint8Array, found: string]>([
  ['a key twice', () => changed('batch', (line) => line.replace('"seq":', '"seq":9,"seq":')), NO_LINE],
  ['a key of an event twice', () => everywhere('"by":"ada"', '"by":"eve","by":"ada"'), NO_LINE],
  ['an escape for the same letter', () => everywhere('ada', String.raw`\u0061da`), NO_LINE],
  ['an escaped slash', () => everywhere('A/b', String.raw`A\/b`), NO_LINE],
  ['1.0 for 1', () => everywhere('"euros":1', '"euros":1.0'), NO_LINE],
  ['an exponent', () => everywhere(/"at":(\d+)/g, '"at":$1e0'), NO_LINE],
  ['a space at the end of a line', () => changed('batch', (line) => `${line} `), NO_LINE],
  ['CRLF', () => sealed(one.map((line) => `${line}\r`)), NO_LINE],
  ['a byte order mark', () => sealed(one.with(0, `\uFEFF${one[0]}`)), NO_LINE],
  ['a key more in the header', () => changed('export', (line) => line.replace('}', ',"x":1}')), NO_LINE],
  ['a key more in the log', () => changed('log', (line) => line.replace('}', ',"x":1}')), NO_LINE],
  ['a key more in a batch', () => changed('batch', (line) => line.replace(/\}$/, ',"__proto__":{}}')), NO_LINE],
  [
    'keys in another order',
    () => sealed(one.with(0, '{"format":"holdpoint.chains","type":"export","version":1}')),
    NO_LINE,
  ],
  [
    'bytes that are no UTF-8',
    () => Buffer.concat([Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(sealed(one))]),
    NO_LINE,
  ],
  [
    'white space in a public key',
    () => changed('signed-head', (line) => line.replace(String.raw`KEY-----\n"`, String.raw`KEY-----\n\n "`)),
    'not an Ed25519 key',
  ],
  ['a list that is nested very deeply', () => deep('[', ']'), NO_LINE],
  ['an object that is nested very deeply', () => deep('{"a":', '}'), NO_LINE],
  ['a million empty lines', () => '\n'.repeat(1_000_000), NO_LINE],
  ['no line feed at the end', () => sealed(one).slice(0, -1), 'The line feed at its end is missing'],
  ['a byte after the end', () => `${sealed(one)}\0`, 'The export ended before this line'],
  ['another export after it', () => sealed(one) + sealed(other), 'The export ended before this line'],
  [
    'another log, not signed',
    () => sealed([...one, ...other.slice(1).filter((line) => !isHead(line))]),
    'No head of the log "c2"',
  ],
  [
    'the signed heads of another log',
    () => sealed([...one.filter((line) => !isHead(line)), ...other.filter(isHead)]),
    'another log',
  ],
])('%s is found', async ([, file, found]) => {
  expect(await verified(sealed(one))).toContain('not found')
  expect(await verified(file())).toContain(found)
})

function deep(open: string, close: string): string {
  const events = `${open.repeat(100_000)}1${close.repeat(100_000)}`
  return changed('batch', (line) => line.replace(/"events":.*/, `"events":[${events}]}`))
}

test('a log that was left out cannot be found, and the report says so', async () => {
  const second = both.findLastIndex((line) => line.startsWith('{"type":"log"'))
  for (const lines of [both.slice(0, second), both.slice(0, 1)])
    expect(await verified(sealed(lines))).toMatch(/^not found; .*the exporter may have left out whole conversations/)
})

test('a list of no trusted keys trusts none', async () => {
  expect(await verified(sealed(one), [])).toContain('which was not given')
})
