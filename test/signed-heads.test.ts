/** Heads are signed in stores of every kind, and an export of each of them is checked offline. */
import { generateKeyPairSync } from 'node:crypto'
import { manualClock, scriptedModel, testPorts, type StorePlace } from '@holdpoint/testing'
import { agent, chainLines, Runtime, signingKey, tool, verifyExport, type Store } from 'holdpoint'
import { expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { memoryPlace, postgresPlace, sqlitePlace } from './stores/places.ts'

const clock = manualClock()
const newKey = (): ReturnType<typeof signingKey> =>
  signingKey({ pem: String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })) })

const places: readonly (readonly [name: string, place: () => StorePlace])[] = [
  ['memory', memoryPlace],
  ['sqlite', sqlitePlace],
  ['postgres', () => postgresPlace(inject('postgresUrl') ?? '')],
]

async function textOf(runtime: Runtime): Promise<string> {
  return `${(await Array.fromAsync(chainLines(runtime.exportChain({ id: 'c1' })))).join('\n')}\n`
}

test.for(places)('%s: two processes sign, a changed byte is found, and a replaced key stays listed', async ([, of]) => {
  const place = of()
  onTestFinished(() => place.end())
  const pay = tool({
    name: 'pay',
    description: 'Pay',
    // The database must keep the text of each number and letter, or no hash would fit.
    input: z.object({ euros: z.number(), for: z.string() }),
    approval: { required: true },
    run: () => 'paid',
  })
  const input = { euros: 1e-7, for: 'Zoë \u2028 \u{1F389} "x"\\' }
  const says = (): Parameters<typeof scriptedModel>[0] => [{ calls: [{ name: 'pay', input }] }, 'Done.']
  const open = async (store: Store, key: ReturnType<typeof signingKey>, prefix: string): Promise<Runtime> => {
    const desk = agent({ name: 'desk', model: scriptedModel(says()), tools: [pay] })
    const ports = testPorts({ clock, prefix })
    const runtime = await Runtime.open({ store, agents: [desk], ports, signing: { key } })
    onTestFinished(() => runtime.close())
    return runtime
  }
  const [first, second] = [newKey(), newKey()]
  const a = await open(await place.open(), first, 'a-')
  const { holds } = await a.send('c1', 'Pay', { by: 'ada' })
  const text = await textOf(a)
  expect(await verifyExport([Buffer.from(text)], { keys: [first.key] })).toMatchObject({ ok: true })
  await a.approve('c1', holds[0]!.callId, { by: 'grace' })
  await a.continue('c1')
  await a.close()

  // A key is listed with the time of the store.
  await Promise.all([clock.advance(1), place.clock.advance(1)])
  const b = await open(await place.open(), second, 'b-')
  const later = await textOf(b)
  const both = [first.key, second.key]
  const report = await verifyExport([Buffer.from(later)], { keys: both })
  expect(report).toMatchObject({ problems: [], logs: [{ id: 'c1', signed: { key: second.key } }] })
  expect(report.logs[0]!.signed!.seq).toBe(report.logs[0]!.events)
  expect((await b.signedHeads('c1')).length).toBe(2)
  expect((await b.signingKeys()).items.map(({ key }) => key)).toEqual(both)
  const forged = later.replace('"by":"grace"', '"by":"Grace"')
  expect(forged).not.toBe(later)
  expect(await verifyExport([Buffer.from(forged)], { keys: both })).toMatchObject({ ok: false })
})
