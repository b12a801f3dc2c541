import { expect, test } from 'vitest'
import { asking, calls, expectSound, gated, heldId, noting, World } from '../../../../test/kit/runtime-kit.ts'
import { places } from '../../../../test/kit/places.ts'

const TEXTS = [
  'null \u0000 byte',
  'lone \ud800 surrogate',
  "'; drop table conversations; --",
  '${process.exit(1)} {{constructor}} %s %n',
  '\u202eright to left\u202c \u200b\ufeff',
  '😀'.repeat(1000),
  '__proto__',
]

test.each(Object.entries(places))(
  'text of any kind comes through a store unchanged, and does no harm (%s)',
  { timeout: 20_000 },
  async (_name, place) => {
    const world = new World(place())
    const setup = { says: [calls('ask', 'pay')], tools: [asking('ask', 'human'), noting([], 'pay', gated)] }
    const a = await world.process('a', setup)
    const b = await world.process('b', setup)
    for (const [n, text] of TEXTS.entries()) {
      const id = `c${n}`
      await a.runtime.send(id, text, { by: text })
      const value = JSON.parse(JSON.stringify({ text, list: [text] }).replace('"list"', '"__proto__"')) as object
      expect(await b.runtime.answer(id, await heldId(b, 'ask', id), value, { by: text })).toMatchObject({
        verdict: 'accepted',
      })
      await b.runtime.reject(id, await heldId(b, 'pay', id), text)
      await world.soon(b.runtime.continue(id))

      const log = await world.log(id)
      expect(log[0]).toMatchObject({ items: [{ message: { parts: [{ text }], by: text } }] })
      const [answered, rejected] = log.filter(({ type }) => type === 'call.settled')
      expect(JSON.stringify(answered)).toContain(JSON.stringify(value).slice(1, -1))
      expect(rejected).toMatchObject({ resolution: { kind: 'reject', reason: text } })
      expectSound(log, a, b)
    }
    expect(({} as Record<string, unknown>)['text']).toBeUndefined()
  },
)

test.each(Object.entries(places))(
  'a message of ten megabytes is taken, and answered in another process (%s)',
  { timeout: 20_000 },
  async (_name, place) => {
    const world = new World(place())
    const long = 'x'.repeat(10_000_000)
    const a = await world.process('a', { says: [calls('pay'), 'Done.'], tools: [noting([], 'pay', gated)] })
    await a.runtime.send('c', long)
    a.kill()
    const b = await world.process('b', { says: [calls('pay'), 'Done.'], tools: [noting([], 'pay', gated)] })

    await b.runtime.approve('c', await heldId(b, 'pay'))

    expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'Done.' })
    expect(b.model.requests[0]!.prompt[0]).toMatchObject({ role: 'user', parts: [{ text: long }] })
  },
)
