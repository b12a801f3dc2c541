/** An export with hashes: whatever is changed in it is found, without a store and without a network. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, chmodSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from '@holdpoint/core'
import { manualClock, proves, scriptedModel, testPorts } from '@holdpoint/testing'
import {
  agent,
  chainLines,
  fingerprintsOf,
  Runtime,
  signingKey,
  tool,
  verifyExport,
  type Signer,
  type Store,
} from 'holdpoint'
import type { RuntimeOptions } from '@holdpoint/runtime'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const clock = manualClock()
const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({ euros: z.number(), for: z.string() }),
  approval: { required: true, reason: 'It is money.' },
  run: ({ input }) => `Paid ${input.euros}.`,
})

function newKey(): Signer {
  return signingKey({ pem: String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })) })
}
const key = newKey()

let opened = 0
async function runtimeOn(store: Store, signing: RuntimeOptions['signing'] | undefined): Promise<Runtime> {
  const calls = [{ name: 'pay', input: { euros: 0.1, for: 'Zoë \u2028 \u{1F389} "x"\\' } }]
  const says = Array.from({ length: 20 }, () => [{ calls }, 'Done – \u{1F389}.']).flat()
  const ports = testPorts({ clock, prefix: `v${++opened}-` })
  const agents = [agent({ name: 'desk', model: scriptedModel(says), tools: [pay] })]
  const runtime = await Runtime.open({ store, agents, ports, ...(signing && { signing }) })
  onTestFinished(() => runtime.close())
  return runtime
}

async function paid(runtime: Runtime, id: string): Promise<void> {
  const { holds } = await runtime.send(id, 'Pay', { by: 'ada' })
  await runtime.approve(id, holds[0]!.callId, { by: 'grace' })
  await runtime.continue(id)
}

async function textOf(runtime: Runtime, id?: string): Promise<string> {
  let text = ''
  for await (const line of chainLines(runtime.exportChain(id === undefined ? {} : { id }))) text += `${line}\n`
  return text
}

function check(
  text: string | Uint8Array,
  keys: readonly string[] | undefined = [key.key],
): ReturnType<typeof verifyExport> {
  return verifyExport([typeof text === 'string' ? Buffer.from(text) : text], keys ? { keys } : {})
}

async function problems(text: string, keys?: readonly string[]): Promise<string> {
  const { ok, problems: found } = await check(text, keys)
  expect(ok).toBe(found.length === 0)
  return found.map(({ line, message }) => `${line}: ${message}`).join('\n')
}

/** Lines with a last line that fits them: what a person does who forges a file. */
function sealed(lines: readonly string[]): string {
  const body = lines.filter((line) => !line.startsWith('{"type":"end"'))
  const parsed = body.map((line) => JSON.parse(line) as { type: string; seq?: number })
  let [events, last] = [0, 0]
  for (const { type, seq = 0 } of parsed) {
    if (type === 'log') [events, last] = [events + last, 0]
    if (type === 'batch') last = seq
  }
  const logs = parsed.filter(({ type }) => type === 'log').length
  const sha256 = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex')
  return [...body, JSON.stringify({ type: 'end', logs, events: events + last, sha256 }), ''].join('\n')
}

async function signedExport(): Promise<string> {
  const runtime = await runtimeOn(memoryStore({ now: clock.now }), { key })
  await paid(runtime, 'c1')
  return textOf(runtime, 'c1')
}

test(
  proves('log.export-is-verified', 'every byte of an exported conversation is flipped, and each flip is found'),
  async () => {
    const text = await signedExport()
    const report = await check(text)
    expect(report).toMatchObject({ ok: true, logs: [{ id: 'c1', tenant: '', signed: { key: key.key } }] })
    expect(report.logs[0]!.signed!.seq).toBe(report.logs[0]!.events)
    expect(text.match(/"type":"batch"/g)!.length).toBeGreaterThan(3)
    const bytes = Buffer.from(text)
    const missed: number[] = []
    for (let at = 0; at < bytes.length; at++) {
      const bit = 1 << (at % 8)
      bytes[at]! ^= bit
      if ((await check(bytes)).ok) missed.push(at)
      bytes[at]! ^= bit
    }
    expect(missed).toEqual([])
  },
)

test('lines that are dropped, doubled, swapped or inserted, and a cut file, are found', async () => {
  const text = await signedExport()
  const lines = text.split('\n').slice(0, -1)
  for (const at of lines.keys()) {
    expect(await problems([...lines.toSpliced(at, 1), ''].join('\n'))).not.toBe('')
    expect(await problems([...lines.toSpliced(at, 0, lines[at]!), ''].join('\n'))).not.toBe('')
    expect(await problems([...lines.toSpliced(at, 0, ' '), ''].join('\n'))).not.toBe('')
    if (at > 0)
      expect(await problems([...lines.toSpliced(at - 1, 2, lines[at]!, lines[at - 1]!), ''].join('\n'))).not.toBe('')
  }
  for (let length = 0; length < text.length; length += 101) expect(await problems(text.slice(0, length))).not.toBe('')
  expect(await problems(text.slice(0, -1))).toContain('The line feed at its end is missing')
  for (const white of [text.replace('"seq":', '"seq": '), text.replace('{', ' {'), text.replace('\n', '\r\n')])
    expect(await problems(white)).not.toBe('')
})

test('a forger who computes the last line again is found by the chain', async () => {
  const lines = (await signedExport()).split('\n').slice(0, -1)
  expect(await problems(sealed(lines))).toBe('')
  const batches = lines.flatMap((line, at) => (line.startsWith('{"type":"batch"') ? [at] : []))
  for (const at of batches) {
    expect(await problems(sealed(lines.toSpliced(at, 1)))).not.toBe('')
    expect(await problems(sealed(lines.toSpliced(at, 0, lines[at]!)))).not.toBe('')
    expect(await problems(sealed(lines.with(at, lines[at]!.replace(/"at":\d+/, '"at":5'))))).not.toBe('')
  }
  const [first, second] = batches
  expect(await problems(sealed(lines.with(first!, lines[second!]!).with(second!, lines[first!]!)))).not.toBe('')
  const withoutHash = lines.map((line) => line.replace(/"hash":"[0-9a-f]{64}"/, '"hash":""'))
  expect(await problems(sealed(withoutHash))).toContain('have no hash')
  const withheld = lines.with(second!, JSON.stringify({ ...JSON.parse(lines[second!]!), events: undefined }))
  expect(await problems(sealed(withheld))).toContain('The gateway left out the events')
})

test('a forger who computes the whole chain again, or uses the log of another, is found by the signed head', async () => {
  const runtime = await runtimeOn(memoryStore({ now: clock.now }), { key })
  await paid(runtime, 'c1')
  await paid(runtime, 'c2')
  const lines = (await textOf(runtime, 'c1')).split('\n').slice(0, -1)
  const others = (await textOf(runtime, 'c2')).split('\n').slice(0, -1)
  const head = lines.findIndex((line) => line.startsWith('{"type":"signed-head"'))
  const rename = sealed(others.map((line) => line.replace('"id":"c2"', '"id":"c1"')))
  expect(await problems(rename)).toContain('The head of another log was signed.')
  const swapped = others.map((line) => (line.startsWith('{"type":"signed-head"') ? lines[head]! : line))
  expect(await problems(sealed(swapped.map((line) => line.replace('"id":"c2"', '"id":"c1"'))))).toMatch(
    /was signed.*(another one|its end was cut off)/,
  )
  const cut = lines.toSpliced(head - 1, 1)
  expect(await problems(sealed(cut))).toContain('its end was cut off')
  expect(await problems(sealed(lines.toSpliced(head, 1)))).toContain('No head of the log "c1" was signed')
  const forger = generateKeyPairSync('ed25519')
  const signedAgain = lines.with(head, forged(lines[head]!, forger))
  expect(await problems(sealed(signedAgain))).toMatch(/was signed with the key|names another key/)
  expect((await verifyExport([Buffer.from(sealed(lines.toSpliced(head, 1)))])).notProven[0]).toContain(
    'No signature covers the events 1 to',
  )
})

function forged(line: string, { privateKey, publicKey }: ReturnType<typeof generateKeyPairSync>): string {
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const text = (JSON.parse(line) as { text: string }).text.replace(/key: .*/, `key: ${fingerprintsOf(pem)![0]}`)
  const signature = sign(null, Buffer.from(text), privateKey).toString('base64')
  return JSON.stringify({ type: 'signed-head', text, signature, publicKey: pem })
}

test('heads are signed at intervals, one process at a time, and events after the newest head are named', async () => {
  const store = memoryStore({ now: clock.now })
  const signing = { key, every: '10 minutes' } as const
  const [a, b] = [await runtimeOn(store, signing), await runtimeOn(store, signing)]
  await paid(a, 'c1')
  const signed = async (): Promise<number> => (await a.signedHeads('c1')).length
  await expect.poll(async () => (await clock.advance(60_000), signed())).toBe(1)
  for (let n = 0; n < 30; n++) await clock.advance(60_000)
  expect(await signed()).toBe(1)
  await paid(b, 'c1')
  await expect.poll(async () => (await clock.advance(60_000), signed())).toBe(2)
  expect((await a.signingKeys()).items).toMatchObject([{ key: key.key, publicKey: key.publicKey }])

  // Without a key, nothing is signed for an export.
  const plain = await runtimeOn(store, undefined)
  await paid(plain, 'c1')
  const report = await check(await textOf(plain, 'c1'))
  expect(report.ok).toBe(true)
  expect(report.notProven[0]).toMatch(/^No signature covers the events \d+ to \d+ of "c1"/)
  expect(report.notProven.join(' ')).toContain('did not write and sign another history')
})

test('after the key was replaced, both keys are listed, and an export needs both', async () => {
  const store = memoryStore({ now: clock.now })
  const next = newKey()
  const before = await runtimeOn(store, { key })
  await paid(before, 'c1')
  await textOf(before, 'c1')
  await before.close()
  await clock.advance(1)
  const after = await runtimeOn(store, { key: next })
  await paid(after, 'c1')
  const text = await textOf(after, 'c1')
  expect(await after.signingKeys()).toMatchObject({
    current: next.key,
    items: [{ key: key.key }, { key: next.key }],
  })
  expect(await problems(text, [key.key, next.key])).toBe('')
  expect(await problems(text, [next.key])).toContain(`signed with the key ${key.key}, which was not given`)
})

test('an erased conversation has no signed heads and is not exported; the others are', async () => {
  const runtime = await runtimeOn(memoryStore({ now: clock.now }), { key })
  await paid(runtime, 'c1')
  await paid(runtime, 'c2')
  await textOf(runtime)
  await runtime.erase('c1')
  expect(await runtime.signedHeads('c1')).toEqual([])
  expect((await check(await textOf(runtime))).logs.map(({ id }) => id)).toEqual(['c2'])
  await expect(textOf(runtime, 'c1')).rejects.toThrow('no conversation "c1" to export')
})

test('events with a secret are left out, and the check says so', async () => {
  const runtime = await runtimeOn(memoryStore({ now: clock.now }), { key })
  await paid(runtime, 'c1')
  let text = ''
  const redact = (line: string): string => line.replaceAll('It is money.', '[secret]')
  for await (const line of chainLines(runtime.exportChain({ id: 'c1' }), redact)) text += `${line}\n`
  expect(text).not.toContain('It is money.')
  expect(await problems(text)).toMatch(/^\d+: The gateway left out the events/)
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdpoint-key-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

test('a key is made on first use, for this user only, and one that others can read is refused', () => {
  const file = join(folder(), 'signing-key.pem')
  const made = signingKey({ file })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(signingKey({ file }).key).toBe(made.key)
  expect(signingKey({ pem: readFileSync(file, 'utf8') }).key).toBe(made.key)
  chmodSync(file, 0o640)
  expect(() => signingKey({ file })).toThrow(`Other users can read the signing key ${file}`)
  const rsa = String(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  expect(() => signingKey({ pem: rsa })).toThrow('Only Ed25519')
  expect(() => signingKey({ pem: 'secret-but-no-pem' })).toThrow(/^The signing key is not a private key in PEM form/)
  expect(() => signingKey({ file: join(folder(), 'no', 'such', 'folder') })).toThrow('cannot be made')
})

const openssl = spawnSync('openssl', ['version']).status === 0
if (!openssl) console.log('openssl is not installed, so the test that checks a signed head with it is skipped.')

test.runIf(openssl)('openssl checks a signed head, and refuses one with another hash', async () => {
  const runtime = await runtimeOn(memoryStore({ now: clock.now }), { key })
  await paid(runtime, 'c1" key: x')
  await textOf(runtime)
  const [head] = await runtime.signedHeads('c1" key: x')
  const at = folder()
  const put = (name: string, content: string | Buffer): string => {
    writeFileSync(join(at, name), content)
    return join(at, name)
  }
  const [pub, sig] = [put('public.pem', head!.publicKey), put('head.sig', Buffer.from(head!.signature, 'base64'))]
  const verified = (text: string): number | null =>
    spawnSync(
      'openssl',
      `pkeyutl -verify -pubin -inkey ${pub} -rawin -in ${put('head.txt', text)} -sigfile ${sig}`.split(' '),
    ).status
  expect(verified(head!.text)).toBe(0)
  expect(verified(head!.text.replace(/hash: ./, 'hash: x'))).not.toBe(0)
  const der = execFileSync('openssl', ['pkey', '-pubin', '-in', pub, '-outform', 'DER'])
  expect(createHash('sha256').update(der).digest('hex')).toBe(key.key)
  expect(head!.text).toContain(`key: ${key.key}\n`)
  expect(head!.text.split('\n')).toHaveLength(9)
})
