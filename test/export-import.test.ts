/** Exports and imports between stores of every kind. */
import { memoryStore, type Store } from '@holdpoint/core'
import { manualClock, scriptedModel, testPorts } from '@holdpoint/testing'
import fc from 'fast-check'
import { agent, Runtime, tool, type ConversationLine, type ImportResult } from 'holdpoint'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { fold } from '../packages/core/src/turn/turn.ts'
import { inOrder } from '../packages/core/src/log/conversation-line.ts'
import { Walk } from './kit/walk.ts'
import { choices } from './any-log.ts'
import { memoryPlace, postgresPlace, sqlitePlace } from './stores/places.ts'

const clock = manualClock()
const ran: unknown[] = []
const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({ euros: z.number() }),
  approval: ({ input }) => ({ required: input.euros > 10, reason: 'It is much.' }),
  run: ({ input }) => (ran.push(input), 'Paid.'),
})

let opened = 0

async function runtimeOn(store: Store, drive = true): Promise<Runtime> {
  const says = [{ calls: [{ name: 'pay', input: { euros: 5 } }] }, { calls: [{ name: 'pay', input: { euros: 50 } }] }]
  const model = scriptedModel(
    Array.from({ length: 100 }, () => ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) => {
      const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
      return says[since.filter(({ role }) => role === 'assistant').length] ?? 'Well – "done" \u{1F389}\u2028.'
    }),
  )
  const ports = testPorts({ clock, prefix: `p${++opened}-` })
  const runtime = await Runtime.open({ store, agents: [agent({ name: 'desk', model, tools: [pay] })], ports, drive })
  onTestFinished(() => runtime.close())
  return runtime
}

async function linesOf(lines: AsyncGenerator<ConversationLine>): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const line of lines) texts.push(JSON.stringify(line))
  return texts
}

/** A conversation at rest, one that waits for an approval, and a space. */
async function filled(): Promise<{ readonly lines: readonly string[]; readonly callId: string }> {
  const runtime = await runtimeOn(memoryStore({ now: clock.now }))
  const held = await runtime.send('held', 'Pay', { by: 'ada', key: 'k' })
  const callId = held.holds[0]!.callId
  await clock.advance(1234)
  const first = await runtime.send('over', 'Pay', { by: 'ben' })
  await clock.advance(1)
  await runtime.approve('over', first.holds[0]!.callId, { by: 'cleo', input: { euros: 49 } })
  await runtime.continue('over')
  const from = { kind: 'human', id: 'ada' } as const
  await runtime.spaces.create({ id: 'room', name: 'Room', by: from })
  await runtime.spaces.post('room', 'Hello', { from })
  return { lines: await linesOf(runtime.export()), callId }
}

const places = {
  memory: memoryPlace,
  SQLite: sqlitePlace,
  PostgreSQL: () => postgresPlace(inject('postgresUrl') ?? ''),
}

describe.each(Object.entries(places))('%s', (_name, placeOf) => {
  test('an export that was imported is exported byte by byte as before, and a held call is still held', async () => {
    const { lines, callId } = await filled()
    const place = placeOf()
    onTestFinished(() => place.end())
    const store = await place.open()
    onTestFinished(() => store.close())
    const runtime = await runtimeOn(store)
    const events = lines.filter((line) => line.startsWith('{"type":"event"')).length
    expect(await runtime.import(() => lines)).toEqual({ ok: true, conversations: 3, events, existing: 0 })
    expect(await linesOf(runtime.export())).toEqual(lines)
    expect(await linesOf(runtime.export({ id: 'over' }))).toHaveLength(
      lines.filter((line) => line.includes('"conversationId":"over"')).length + 3,
    )
    // Again: everything is there.
    expect(await runtime.import(() => lines)).toMatchObject({ ok: true, existing: 3 })

    const before = ran.length
    expect((await runtime.pending()).items).toMatchObject([{ conversationId: 'held', callId, name: 'pay' }])
    expect((await runtime.list({ participant: 'ada' })).items.map(({ id }) => id)).toEqual(['held'])
    expect(await runtime.approve('held', callId, { by: 'dan' })).toMatchObject({ verdict: 'accepted' })
    expect(await runtime.continue('held')).toMatchObject({ status: 'done' })
    expect(ran.slice(before)).toEqual([{ euros: 50 }])
  })
})

test('files are exported before the events that name them, and imported with their bytes', async () => {
  const from = await runtimeOn(memoryStore({ now: clock.now }))
  // More than one line of bytes.
  const bytes = Uint8Array.from({ length: 1_000_000 }, (_, nth) => (nth * nth) % 251)
  const { part, id, sha256 } = await from.files.upload(bytes, { mediaType: 'image/png', name: 'a.png', by: 'ada' })
  await from.send('talk', [{ type: 'text', text: 'Look' }, part], { by: 'ada' })
  const lines = await linesOf(from.export())
  const kinds = lines.map((line) => (JSON.parse(line) as ConversationLine).type)
  expect(kinds.slice(0, 6)).toEqual(['export', 'conversation', 'file', 'bytes', 'bytes', 'event'])
  const broken: readonly (readonly [readonly string[], number, RegExp])[] = [
    [lines.toSpliced(4, 1), 3, /size and hash/],
    [lines.with(4, lines[4]!.replace('"base64":"', '"base64":"AAAA')), 5, /more than its/],
    [lines.with(3, lines[3]!.replace('"base64":"', '"base64":"*')), 4, /base64/],
    [lines.with(3, lines[4]!).with(4, lines[3]!), 3, /size and hash/],
    [lines.toSpliced(2, 1), 3, /no file/],
    [lines.with(2, lines[2]!.replace('a.png', '../a.png')), 3, /as an export has it/],
    [[...lines.slice(0, 2), ...lines.slice(5, 6), ...lines.slice(2, 5), ...lines.slice(6)], 4, /after the events/],
  ]
  const to = await runtimeOn(memoryStore({ now: clock.now }))
  for (const [wrong, line, why] of broken) {
    const refused = await refuse(wrong, to)
    expect(refused.message).toMatch(why)
    expect(refused.line).toBe(line)
    expect(await to.files.find(id)).toBeUndefined()
  }
  expect(await to.import(() => lines)).toMatchObject({ ok: true, conversations: 1, existing: 0 })
  const [file] = await to.files.of('talk')
  expect(file).toMatchObject({ id, sha256, name: 'a.png', by: 'ada' })
  const parts: Uint8Array[] = []
  for await (const piece of to.files.read(file!)) parts.push(piece)
  expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  expect(await linesOf(to.export())).toEqual(lines)
  expect(await to.import(() => lines)).toMatchObject({ ok: true, existing: 1 })
})

const refuse = async (lines: readonly string[], runtime?: Runtime): Promise<Extract<ImportResult, { ok: false }>> => {
  const empty = runtime ?? (await runtimeOn(memoryStore({ now: clock.now })))
  const before = await linesOf(empty.export())
  const result = await empty.import(() => lines)
  expect(await linesOf(empty.export())).toEqual(before)
  if (result.ok) throw new Error('It was imported.')
  return result
}

test('a cut or foreign file is refused with the line that is wrong, and nothing is imported', async () => {
  const { lines } = await filled()
  const runtime = await runtimeOn(memoryStore({ now: clock.now }))
  const last = lines.length
  const without = (nth: number) => lines.filter((_, index) => index !== nth - 1)
  const changed = (nth: number, change: (line: string) => string) =>
    lines.map((line, index) => (index === nth - 1 ? change(line) : line))
  const held = lines.findIndex((line) => line.includes('"type":"call.held"')) + 1
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[], 1, /cut/],
    [lines.slice(0, -1), last, /cut/],
    [lines.slice(0, 5), 6, /cut/],
    [without(1), 1, /no export/],
    [['{"type":"session","version":1}'], 1, /no export/],
    [changed(1, (line) => line.replace('"version":1', '"version":2')), 1, /version 2/],
    [changed(4, (line) => line.slice(0, -5)), 4, /not JSON/],
    [changed(4, () => '[]'), 4, /not an object/],
    [without(4), 4, /seq/],
    [changed(4, (line) => line.replace(/"type":"\w+\.\w+"/, '"type":"call.dreamt"')), 4, /dreamt/],
    [changed(4, (line) => line.replace('"conversationId":"held"', '"conversationId":"other"')), 4, /other/],
    [[...lines, lines[3]!], last + 1, /ended before/],
    [changed(last, (line) => line.replace('"conversations":3', '"conversations":4')), last, /missing/],
    // A call that starts before its approval cannot have happened.
    [changed(held, (line) => line.replace('"type":"call.held"', '"type":"call.started","attempt":3')), held, /cannot/],
  ]
  for (const [given, line, why] of cases) {
    const refused = await refuse(given, runtime)
    expect([refused.line, refused.conversations], refused.message).toEqual([line, 0])
    expect(refused.message).toMatch(why)
  }
})

test('a conversation that another one with the same id has taken is refused, and the others are not imported', async () => {
  const { lines } = await filled()
  const runtime = await runtimeOn(memoryStore({ now: clock.now }))
  await runtime.send('over', 'Something else')
  const refused = await refuse(lines, runtime)
  expect(lines[refused.line - 1]).toBe('{"type":"conversation","data":{"id":"over"}}')
  expect(refused.message).toContain('taken')
})

test('work under way is refused, and continued if the caller says so', async () => {
  const store = memoryStore({ now: clock.now })
  const idle = await runtimeOn(store, false)
  await idle.submit('c', 'Pay')
  const lines = await linesOf(idle.export({ id: 'c' }))
  expect((await refuse(lines)).message).toContain('under way')
  const next = await runtimeOn(memoryStore({ now: clock.now }))
  expect(await next.import(() => lines, { underWay: 'continue' })).toMatchObject({ ok: true, conversations: 1 })
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return (await next.pending()).items.length
    })
    .toBe(1)
})

test('any log is exported, imported and exported again', async () => {
  await fc.assert(
    fc.asyncProperty(choices, async (numbers) => {
      const walk = new Walk(numbers)
      while (!walk.over) await walk.step()
      if (walk.log.length === 0) return
      const from = await runtimeOn(memoryStore({ now: clock.now, log: { id: 'c', events: walk.log } }), false)
      const lines = await linesOf(from.export({ id: 'c' }))
      const store = memoryStore({ now: clock.now })
      const to = await runtimeOn(store, false)
      expect(await to.import(() => lines, { underWay: 'continue' })).toMatchObject({ ok: true })
      expect(await linesOf(to.export())).toEqual(lines)
      const events = await store.read({ tenant: '', id: 'c' }, 0)
      expect(events.map(inOrder)).toEqual(walk.log.map(inOrder))
      expect(fold(events)).toEqual(walk.state)
    }),
    { numRuns: 20 },
  )
})
