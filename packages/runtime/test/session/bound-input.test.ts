import { expect, test } from 'vitest'
import { agent, chat, definePlugin, halt, Session, tool } from 'holdpoint'
import { proves, scriptedModel, testPorts } from '@holdpoint/testing'
import { z } from 'zod'

const description = 'A tool'
const asks = (input: { tags: string[] }) => [{ calls: [{ name: 'tag', input }] }, 'Done.']

test(
  proves('call.runs-what-was-approved', 'an edit is not lost when the schema makes something that JSON cannot show'),
  async () => {
    const ran: unknown[] = []
    const tag = tool({
      name: 'tag',
      description,
      input: z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) }),
      approval: 'required',
      run: ({ input }) => ran.push(...input.tags),
    })
    const desk = agent({
      name: 'desk',
      model: scriptedModel(asks({ tags: ['proposed'] })),
      tools: [tag],
      ports: testPorts(),
    })
    const { session, holds } = await chat(desk, 'Go')
    expect(holds[0]?.input).toEqual({ tags: ['proposed'] })

    expect(await session.approve(holds[0]!.callId, { input: { tags: ['edited'] } })).toMatchObject({
      verdict: 'accepted',
    })
    await session.continue()
    expect(ran).toEqual(['edited'])
  },
)

test('a transform to something JSON has no word for is no obstacle', async () => {
  const tag = tool({
    name: 'tag',
    description,
    input: z.object({ tags: z.array(z.string()).transform((tags) => BigInt(tags.length)) }),
    approval: 'required',
    run: ({ input }) => String(input.tags * 2n),
  })
  const desk = agent({
    name: 'desk',
    model: scriptedModel(asks({ tags: ['a', 'b'] })),
    tools: [tag],
    ports: testPorts(),
  })
  const { session, holds } = await chat(desk, 'Go')
  await session.approve(holds[0]!.callId)
  expect((await session.continue()).steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: '4' })
})

test('neither a gate nor a handler can reach into the log through what it is handed', async () => {
  const spoil = (given: unknown): void => {
    ;(given as { tags: string[] }).tags.push('spoiled')
  }
  const tag = tool({
    name: 'tag',
    description,
    input: z.any(),
    approval: ({ input, call }) => (spoil(input), spoil(call.args), { required: false }),
    run: ({ input, call }) => (spoil(input), spoil(call.args), 'ok'),
  })
  const desk = agent({ name: 'desk', model: scriptedModel(asks({ tags: ['a'] })), tools: [tag], ports: testPorts() })
  const { session } = await chat(desk, 'Go')
  expect(JSON.stringify(session)).not.toContain('spoiled')
})

test("what a handler halts with, and what verify found, must fit the tool's output schema", async () => {
  const output = z.object({ ok: z.boolean() })
  const stop = tool({ name: 'tag', description, input: z.any(), output, run: () => halt('enough', 'nonsense') })
  const desk = agent({ name: 'desk', model: scriptedModel(asks({ tags: [] })), tools: [stop], ports: testPorts() })
  const halted = await chat(desk, 'Go')
  expect(halted).toMatchObject({ reason: 'halted' })
  expect(halted.steps[0]?.calls[0]?.outcome).toMatchObject({ ok: false, error: { code: 'invalid-output' } })

  const found = tool({
    name: 'tag',
    description,
    input: z.any(),
    output,
    run: () => ({ ok: true }),
    onLost: () => ({ happened: true, result: 'nonsense' }),
  })
  const next = agent({ name: 'desk', model: scriptedModel(['Done.']), tools: [found], ports: testPorts() })
  const { version, id, events } = halted.session.toJSON()
  const started = events.findIndex((event) => event.type === 'call.started')
  const session = await Session.open(next, { data: { version, id, events: events.slice(0, started + 1) } })
  expect((await session.continue()).steps[0]?.calls[0]?.outcome).toMatchObject({
    ok: false,
    error: { code: 'invalid-output' },
  })
})

test('a plugin whose setup failed is set up by the next use', async () => {
  let tries = 0
  const flaky = definePlugin({
    id: 'flaky',
    setup: () => {
      if (++tries === 1) throw new Error('not yet')
    },
  })
  const desk = agent({ name: 'desk', model: scriptedModel(['Hello.']), plugins: [flaky], ports: testPorts() })
  await expect(chat(desk, 'Hi')).rejects.toThrow('not yet')
  expect(await chat(desk, 'Hi')).toMatchObject({ status: 'done', text: 'Hello.' })
})
