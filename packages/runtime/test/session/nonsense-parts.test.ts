import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Model, type ModelPart } from 'holdpoint'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { desk, expectPaired, expectSound, saved } from '../../../../test/kit/session-kit.ts'

const ran: string[] = []
const tools = [
  tool({
    name: 'note',
    description: 'Notes',
    input: z.object({ text: z.string().optional() }),
    run: ({ call: { id } }) => void ran.push(id),
  }),
  tool({ name: 'pay', description: 'Pays', input: z.object({}), approval: 'required', run: () => 'paid' }),
  tool({ name: 'web', executor: 'provider', id: 'vendor.web' }),
]

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 0, Number.NaN, 10n, {}, [], () => {}),
  fc.anything({ withBigInt: true, withDate: true }),
)
const orOdd = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd })
const id = orOdd(fc.constantFrom('a', 'b', ''))
const name = orOdd(fc.constantFrom('note', 'pay', 'web', 'missing'))
const words = orOdd(fc.string({ maxLength: 5 }))
const data = orOdd(fc.constantFrom(undefined, { vendor: { sig: 'x' } }))
const json = orOdd(fc.constantFrom('{}', '{"text":"x"}', '{"te', '7', ''))
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'reasoning'), id, delta: words, data }),
  fc.record({ type: fc.constant('call-input'), id, name, delta: words }),
  fc.record({
    type: fc.constant('call'),
    id,
    name,
    input: json,
    byProvider: fc.constantFrom(undefined, false, true),
    data,
  }),
  fc.record({
    type: fc.constant('provider-result'),
    id,
    name,
    result: orOdd(fc.jsonValue()),
    isError: orOdd(fc.boolean()),
    data,
  }),
  fc.record({
    type: fc.constant('file'),
    mediaType: orOdd(fc.constant('image/png')),
    file: orOdd(fc.constant({ kind: 'base64', base64: 'AA==' })),
    data,
  }),
  fc.record({ type: fc.constant('source'), source: orOdd(fc.constant({ url: 'https://example.org' })), data }),
  fc.record({ type: fc.constant('custom'), kind: orOdd(fc.constant('k')), data }),
  fc.record({ type: fc.constant('info'), responseId: orOdd(fc.constant('r')), warnings: orOdd(fc.constant(['w'])) }),
  fc.record({
    type: fc.constant('finish'),
    reason: orOdd(fc.constantFrom('stop', 'calls', 'error', 'length')),
    usage: orOdd(fc.constant({ inputTokens: 1, outputTokens: 1 })),
    data,
  }),
  fc.record({ type: fc.constantFrom('invented', undefined) }),
  odd,
)
const reply = fc.record({ parts: fc.array(part, { maxLength: 6 }), breaks: fc.boolean() })

/** Says whatever it was given, reply by reply, and then the end. */
function babbling(
  replies: readonly { readonly parts: readonly unknown[]; readonly breaks: boolean }[],
  prompts: Parameters<Model['stream']>[0][],
): Model {
  return {
    id: 'babbling',
    async *stream(request): AsyncGenerator<ModelPart> {
      const next = replies[prompts.push(request) - 1]
      if (!next) return yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
      yield* next.parts as ModelPart[]
      if (next.breaks) throw new Error('cut off')
    },
  }
}

test(
  proves(
    'prompt.every-call-has-result',
    'call.one-outcome',
    'log.fold-equals-live',
    'whatever a model streams, the turn comes to an end or to a hold, and the session can be saved, restored and gone on with',
  ),
  async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 3 }), async (replies) => {
        ran.length = 0
        const prompts: Parameters<Model['stream']>[0][] = []
        const { agent } = desk([], { model: babbling(replies, prompts), tools, maxSteps: 5 })

        const { session, status, reason } = await chat(agent, 'Go')

        seen.set(reason, (seen.get(reason) ?? 0) + 1)
        expect(['done', 'held', 'stopped', 'failed']).toContain(status)
        expect(new Set(ran).size).toBe(ran.length)
        expectSound(session)
        const restored = await Session.open(agent, saved(session))
        expect(restored.state).toEqual(session.state)
        for (const { callId } of restored.holds) await restored.reject(callId)
        await restored.cancel()
        await restored.send('Hello')
        for (const prompt of prompts) expectPaired(prompt)
      }),
      { numRuns: 600 },
    )
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['completed', 'interrupted', 'held']))
  },
)
