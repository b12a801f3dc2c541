/** A recorded conversation that is played again. */
import { agent, memoryStore, holdpoint, tool, type Runtime, type Tool } from 'holdpoint'
import { playRecording, recordingOf, scriptedModel, type Recording } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const ran: unknown[] = []
const find = tool({
  name: 'find',
  description: 'Find an order',
  input: z.object({ order: z.number() }),
  run: ({ input }) => {
    ran.push(input)
    return { euros: input.order * 10 }
  },
})
const refund = tool({
  name: 'refund',
  description: 'Give money back',
  input: z.object({ euros: z.number(), note: z.string().default('none') }),
  approval: 'required',
  run: ({ input }) => {
    ran.push(input)
    return 'Paid.'
  },
})
const ship = tool({
  name: 'ship',
  description: 'Ship it',
  executor: 'external',
  timeout: '1 day',
  input: z.object({ to: z.string() }),
})
const tools = [find, refund, ship]

async function recorded(): Promise<Recording> {
  const model = scriptedModel([
    {
      calls: [
        { name: 'find', input: { order: 2 } },
        { name: 'find', input: { order: 3 } },
      ],
    },
    {
      text: 'Two orders.',
      calls: [
        { name: 'refund', input: { euros: 20 } },
        { name: 'refund', input: { euros: 30 } },
      ],
    },
    { calls: [{ name: 'ship', input: { to: 'Ada' } }] },
    'Done.',
    'You are welcome.',
  ])
  const runtime = await holdpoint({
    store: memoryStore({ now: Date.now }),
    agents: [agent({ name: 'desk', model, tools })],
  })
  onTestFinished(() => runtime.close())
  const { holds } = await runtime.send('talk', 'Refund both', { by: 'ada' })
  await runtime.approve('talk', holds[0]!.callId, { by: 'ben', input: { euros: 15, note: 'half' } })
  await runtime.reject('talk', holds[1]!.callId, 'Too late', { by: 'ben' })
  const next = await runtime.continue('talk')
  await runtime.answer('talk', next.holds[0]!.callId, { parcel: 'p1' })
  await runtime.continue('talk')
  await runtime.send('talk', 'Thank you', { by: 'ada' })
  return recordingFrom(runtime)
}

async function recordingFrom(runtime: Runtime): Promise<Recording> {
  const { recording, leftOut } = recordingOf(await runtime.events('talk', 0, 1000))
  expect(leftOut).toEqual([])
  return recording
}

const expected = [
  {
    calls: [
      { tool: 'find', input: { order: 2 }, outcome: 'ok' },
      { tool: 'find', input: { order: 3 }, outcome: 'ok' },
      { tool: 'refund', input: { euros: 15, note: 'half' }, held: 'approval', outcome: 'ok' },
      { tool: 'refund', input: { euros: 30, note: 'none' }, held: 'approval', outcome: 'rejected' },
      { tool: 'ship', input: { to: 'Ada' }, held: 'external', outcome: 'ok' },
    ],
    text: 'Done.',
  },
  { calls: [], text: 'You are welcome.' },
]

test('a recording is played with the tools of the agent, and none of them runs', async () => {
  const recording = await recorded()
  ran.length = 0
  expect(await playRecording(JSON.parse(JSON.stringify(recording)) as Recording, { tools })).toEqual(expected)
  expect(ran).toEqual([])
})

test('without tools, those of the recording take any arguments', async () => {
  const [first, second] = await playRecording(await recorded())
  const calls = expected[0]!.calls.map((call) =>
    call.tool === 'refund' && call.outcome === 'rejected' ? { ...call } : call,
  )
  expect(first).toEqual({ calls, text: 'Done.' })
  expect(second).toEqual(expected[1])
})

test('it shows a tool that changed: another schema, another approval, another name', async () => {
  const recording = await recorded()
  const play = (changed: readonly Tool[]): Promise<unknown> => playRecording(recording, { tools: changed })
  const common = { description: 'Find an order', run: () => ({ euros: 1 }) }
  const stricter = tool({ ...common, name: 'find', input: z.object({ order: z.number().max(2) }) })
  expect(await play([stricter, refund, ship])).not.toEqual(expected)
  const converted = tool({ ...common, name: 'find', input: z.object({ order: z.coerce.string() }) })
  await expect(play([converted, refund, ship])).rejects.toThrow('Turn 1 calls find with {"order":"2"}')
  const asked = tool({ ...common, name: 'find', input: z.object({ order: z.number() }), approval: 'required' })
  await expect(play([asked, refund, ship])).rejects.toThrow('Turn 1: no decision about find with {"order":2}')
  expect(await play([refund, ship])).toMatchObject([
    { calls: [{ tool: 'find', outcome: 'unknown-tool' }, {}, {}, {}, {}] },
    {},
  ])
})

test('it fails when the arguments or the order of the recorded calls are changed', async () => {
  const recording = await recorded()
  const [turn, ...more] = recording.turns
  const [both, ...replies] = turn!.replies
  const swapped = { ...both, calls: both!.calls!.toReversed() }
  expect(
    await playRecording({ ...recording, turns: [{ ...turn!, replies: [swapped, ...replies] }, ...more] }),
  ).not.toEqual(expected)
  const other = { ...both, calls: [{ name: 'find', input: { order: 4 } }, both!.calls![1]!] }
  await expect(
    playRecording({ ...recording, turns: [{ ...turn!, replies: [other, ...replies] }, ...more] }),
  ).rejects.toThrow('Turn 1 calls find with {"order":4}, and the recorded turn does not.')
})

test('a turn that cannot be played is left out with those after it, and says why', async () => {
  const model = scriptedModel(['Hello.', { calls: [{ name: 'refund', input: { euros: 1 } }] }, 'Later.'])
  const runtime = await holdpoint({
    store: memoryStore({ now: Date.now }),
    agents: [agent({ name: 'desk', model, tools })],
  })
  onTestFinished(() => runtime.close())
  await runtime.send('talk', 'Hi', { by: 'ada' })
  await runtime.send('talk', 'Refund', { by: 'ada' })
  await runtime.cancel('talk')
  await runtime.send('talk', 'And now?', { by: 'ada' })
  const { recording, leftOut } = recordingOf(await runtime.events('talk', 0, 1000))
  expect(recording.turns).toHaveLength(1)
  expect(leftOut.map(({ why }) => why)).toEqual([
    expect.stringMatching(/cancelled/),
    'it comes after a turn that is left out',
  ])
  expect(await playRecording(recording)).toEqual([{ calls: [], text: 'Hello.' }])
})
