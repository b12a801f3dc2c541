/** Files of messages, replies and results: where they are, who may send them, and when they are removed. */
import type { Script } from '@holdpoint/testing'
import type { ModelRequest } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, World, type Process } from '../../../../test/kit/runtime-kit.ts'
import { tool } from 'holdpoint'

const DAY = 86_400_000
const PNG = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 255])
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const inline = (
  bytes: Uint8Array,
  mediaType = 'image/png',
): { type: 'file'; mediaType: string; file: { kind: 'base64'; base64: string } } => ({
  type: 'file',
  mediaType,
  file: { kind: 'base64', base64: base64(bytes) },
})

async function bytesOf({ runtime }: Process, id: string): Promise<Buffer> {
  const file = await runtime.files.find(id)
  const parts: Uint8Array[] = []
  for await (const part of runtime.files.read(file!)) parts.push(part)
  return Buffer.concat(parts)
}

const userParts = ({ prompt }: ModelRequest): unknown => prompt.findLast(({ role }) => role === 'user')

test('an uploaded file is in the log as a reference, and its bytes reach the model', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['A picture.'] })
  const { part, id, sha256 } = await a.runtime.files.upload(PNG, { mediaType: 'image/png', name: 'cat.png', by: 'ada' })
  expect(part).toEqual({
    type: 'file',
    mediaType: 'image/png',
    filename: 'cat.png',
    file: { kind: 'stored', id, bytes: 10, sha256 },
  })
  await world.soon(a.runtime.send('c', [{ type: 'text', text: 'What is it?' }, part], { by: 'ada' }))
  const [started] = await world.log()
  expect(started).toMatchObject({ items: [{ message: { parts: [{ type: 'text' }, part] } }] })
  expect(JSON.stringify(await world.log())).not.toContain(base64(PNG))
  expect(userParts(a.model.requests[0]!)).toMatchObject({
    parts: [{ type: 'text' }, { type: 'file', file: { kind: 'base64', base64: base64(PNG) } }],
  })
})

test('a file in a message is stored before the message, and the same request again gets the same file', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['One.', 'Two.'] })
  const send = () => a.runtime.submit('c', [inline(PNG)], { key: 'k', by: 'ada' })
  expect(await world.soon(send())).toMatchObject({ ok: true })
  expect(await world.soon(send())).toMatchObject({ ok: true, repeated: true })
  const [file, ...others] = await a.runtime.files.of('c')
  expect(others).toEqual([])
  expect(file).toMatchObject({ mediaType: 'image/png', by: 'ada', bytes: 10, conversations: ['c'] })
  expect(await bytesOf(a, file!.id)).toEqual(Buffer.from(PNG))
  expect(JSON.stringify(await world.log())).not.toContain(base64(PNG))
})

test('a file of another person, of another tenant, or of no upload is missing, and nothing is written', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  const { part } = await a.runtime.files.upload(PNG, { mediaType: 'image/png', by: 'ada' })
  const unknown = {
    type: 'file',
    mediaType: 'image/png',
    file: { kind: 'stored', id: 'x', bytes: 1, sha256: '' },
  } as const
  const refused = { ok: false, refusal: 'file-missing' }
  expect(await world.soon(a.runtime.submit('c', [part], { by: 'ben' }))).toMatchObject(refused)
  expect(await world.soon(a.runtime.submit('c', [unknown], { by: 'ada' }))).toMatchObject(refused)
  expect(await world.soon(a.runtime.tenant('t').submit('c', [part], { by: 'ada' }))).toMatchObject(refused)
  expect(await world.log()).toEqual([])
  // In a conversation that has the file, every participant may send it again.
  await world.soon(a.runtime.send('c', [part], { by: 'ada' }))
  expect(await world.soon(a.runtime.submit('c', [part], { by: 'ben' }))).toMatchObject({ ok: true })
})

test('what a caller says about a stored file does not count', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  const { part, id } = await a.runtime.files.upload(PNG, { mediaType: 'image/png', by: 'ada' })
  const forged = {
    ...part,
    mediaType: 'text/html',
    filename: 'a.html',
    file: { kind: 'stored', id, bytes: 9e9, sha256: 'f' },
  } as typeof part
  await world.soon(a.runtime.send('c', [forged], { by: 'ada' }))
  expect((await world.log())[0]).toMatchObject({ items: [{ message: { parts: [part] } }] })
})

test('a model gets text files as text, and a line about files that it cannot read', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Ok.'] })
  const text = new TextEncoder().encode('Größe: 5 €')
  await world.soon(a.runtime.send('c', [inline(text, 'text/plain'), inline(PNG, 'application/zip')], { by: 'ada' }))
  const [file] = (await a.runtime.files.of('c')).filter(({ mediaType }) => mediaType === 'text/plain')
  expect(userParts(a.model.requests[0]!)).toMatchObject({
    parts: [
      { type: 'text', text: `File "${file!.id}" (text/plain):\nGröße: 5 €` },
      { type: 'text', text: expect.stringMatching(/application\/zip, 10 bytes. This model cannot read it/) },
    ],
  })
})

test('limits: a file that is too large, empty or of another type is refused, and no byte of it stays', async () => {
  const world = new World()
  const a = await world.process('a', { files: { maxBytes: 9, mediaTypes: ['image/*'] } })
  const upload = (bytes: Uint8Array, mediaType: string) => a.runtime.files.upload(bytes, { mediaType })
  await expect(upload(PNG, 'image/png')).rejects.toMatchObject({ code: 'file-refused', reason: 'too-large' })
  await expect(upload(new Uint8Array(), 'image/png')).rejects.toMatchObject({ reason: 'empty' })
  for (const type of ['text/html', 'image', 'image/png\r\nx: y', ''])
    await expect(upload(PNG.subarray(1), type)).rejects.toMatchObject({ reason: 'type' })
  await expect(a.runtime.send('c', [inline(PNG)])).rejects.toMatchObject({ reason: 'too-large' })
  expect(await (await world.store).files?.().usage('')).toBe(0)
  expect(await world.log()).toEqual([])
})

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\evil\\run.exe', 'run.exe'],
  ['a\r\nSet-Cookie: x', 'aSet-Cookie: x'],
  ['photo\u202Egnp.exe', 'photognp.exe'],
  ['..', undefined],
  ['\u0000\u0007', undefined],
  ['half \ud800 pair.png', 'half \ufffd pair.png'],
])('the name %j is kept as %j', async (given, name) => {
  const world = new World()
  const { runtime } = await world.process('a')
  expect((await runtime.files.upload(PNG, { mediaType: 'image/png', name: given })).name).toBe(name)
})

test('a file that no message has is removed after a day, and one that a message has stays', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  const unused = await a.runtime.files.upload(PNG, { mediaType: 'image/png', by: 'ada' })
  const used = await a.runtime.files.upload(PNG, { mediaType: 'image/png', by: 'ada' })
  // A process died after the bytes, and before the document.
  await (await world.store).files?.().write('', 'unnamed', [PNG])
  await world.soon(a.runtime.send('c', [used.part], { by: 'ada' }))
  a.kill()
  await world.clock.advance(DAY + 3_600_000)
  const b = await world.process('b')
  await world.pass(5000)
  expect(await b.runtime.files.find(unused.id)).toBeUndefined()
  expect(await b.runtime.files.find(used.id)).toMatchObject({ conversations: ['c'] })
  const left = await (await world.store).files!().walk({ limit: 10 })
  expect(left.items.map(({ id }) => id)).toEqual([used.id])
})

test('an erased conversation takes its files with it, and a fork keeps those that it shares', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  await world.soon(a.runtime.send('c', [inline(PNG)], { by: 'ada' }))
  const [file] = await a.runtime.files.of('c')
  await a.runtime.fork('c', { to: 'copy' })
  await a.runtime.erase('c')
  expect(await a.runtime.files.of('c')).toEqual([])
  expect(await bytesOf(a, file!.id)).toEqual(Buffer.from(PNG))
  await a.runtime.erase('copy')
  expect(await a.runtime.files.find(file!.id)).toBeUndefined()
  expect(await (await world.store).files?.().usage('')).toBe(0)
})

test('files count for the quota of stored bytes', async () => {
  const world = new World()
  const { runtime } = await world.process('a', { quotas: { storedBytes: 25 } })
  await runtime.files.upload(PNG, { mediaType: 'image/png' })
  await runtime.files.upload(PNG, { mediaType: 'image/png' })
  await expect(runtime.files.upload(PNG, { mediaType: 'image/png' })).rejects.toMatchObject({ code: 'quota-exceeded' })
})

const dump = tool({
  name: 'dump',
  description: 'Dumps',
  input: z.object({}),
  run: () => ({ rows: 'x'.repeat(2_000_000) }),
})

test('a result over the limit is stored as a file, and the log and the model have a preview', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('dump'), 'Long.'], tools: [dump] })
  await world.soon(a.runtime.send('c', 'Dump'))
  const settled = (await world.log()).find(({ type }) => type === 'call.settled')
  expect(settled).toMatchObject({
    outcome: {
      ok: true,
      value: { shortened: expect.stringContaining('1.9 MB') },
      file: { mediaType: 'application/json' },
    },
  })
  const { outcome } = settled as unknown as { outcome: { file: { id: string } } }
  expect(JSON.parse(String(await bytesOf(a, outcome.file.id)))).toEqual({ rows: 'x'.repeat(2_000_000) })
  expect(JSON.stringify(await world.log()).length).toBeLessThan(20_000)
  expect(JSON.stringify(a.model.requests[1])).toContain('left out')
})

test('a file of a reply is stored', async () => {
  const world = new World()
  const says: Script = [
    { type: 'file', mediaType: 'image/png', file: { kind: 'base64', base64: base64(PNG) } },
    { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } },
  ]
  const a = await world.process('a', { says: [says] })
  await world.soon(a.runtime.send('c', 'Draw'))
  const [file] = await a.runtime.files.of('c')
  expect(await bytesOf(a, file!.id)).toEqual(Buffer.from(PNG))
  expect(JSON.stringify(await world.log())).not.toContain(base64(PNG))
})

test('an answer names files by their ids, and one that the person may not use is refused', async () => {
  const world = new World()
  const receipt = tool({
    name: 'receipt',
    description: 'Asks for a receipt',
    executor: 'human',
    timeout: '1 h',
    input: z.object({}),
    output: z.object({ scans: z.array(z.string().meta({ format: 'file' })) }),
  })
  const a = await world.process('a', { says: [calls('receipt'), 'Thanks.'], tools: [receipt] })
  const held = await world.soon(a.runtime.send('c', 'Ask', { by: 'ada' }))
  const { callId } = held.holds[0]!
  const upload = (by: string) => a.runtime.files.upload(PNG, { mediaType: 'image/png', by })
  const [own, foreign] = [await upload('ada'), await upload('eve')]
  for (const id of [foreign.id, 'none', '../x'])
    expect(await a.runtime.answer('c', callId, { scans: [own.id, id] }, { by: 'ada' })).toMatchObject({
      verdict: 'invalid',
      message: expect.stringContaining('There is no file'),
    })
  expect((await world.log()).filter(({ type }) => type === 'call.settled')).toEqual([])
  expect((await a.runtime.files.find(own.id))?.conversations).toEqual([])
  expect(await a.runtime.answer('c', callId, { scans: [own.id] }, { by: 'ada' })).toMatchObject({ verdict: 'accepted' })
  expect((await a.runtime.files.find(own.id))?.conversations).toEqual(['c'])
  expect((await a.runtime.files.find(foreign.id))?.conversations).toEqual([])
})

test('a result of 50 MB is a file, and the log stays small', async () => {
  const world = new World()
  const huge = tool({
    name: 'huge',
    description: 'Huge',
    input: z.object({}),
    run: () => 'x'.repeat(50_000_000),
  })
  const a = await world.process('a', { says: [calls('huge'), 'One.'], tools: [huge] })
  await world.soon(a.runtime.send('c', 'Go'))
  const [file] = await a.runtime.files.of('c')
  expect(file).toMatchObject({ mediaType: 'text/plain', bytes: 50_000_000 })
  expect(JSON.stringify(await world.log()).length).toBeLessThan(20_000)
})
