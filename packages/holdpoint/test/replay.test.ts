/** Replays of recorded turns with other agents. No tool runs, and nothing is written. */
import {
  agent,
  holdpoint,
  memoryStore,
  replayReport,
  tool,
  type Agent,
  type ReplayedTurn,
  type Runtime,
} from 'holdpoint'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { json, local, serve, type TestServer } from './http-tool-kit.ts'

const paid: unknown[] = []
const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({ euros: z.number() }),
  approval: 'required',
  run: ({ input }) => (paid.push(input), `Paid ${input.euros}.`),
})
const askUser = tool({ name: 'ask', description: 'Ask', executor: 'human', input: z.object({ question: z.string() }) })

/** Each turn of a conversation gets the same replies, step by step. */
function saying(...says: readonly Script[]): ReturnType<typeof scriptedModel> {
  return scriptedModel(
    Array.from({ length: 100 }, () => ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) => {
      const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
      return says[since.filter(({ role }) => role === 'assistant').length] ?? 'Done.'
    }),
  )
}

const note = (id: number) => ({ name: 'notes', input: { id } })
const euros = (amount: number) => ({ name: 'pay', input: { euros: amount } })

interface Desk {
  readonly runtime: Runtime
  readonly server: TestServer
  readonly other: (...says: readonly Script[]) => Agent
}

async function desk(): Promise<Desk> {
  const server = await serve(json({ note: 'Hello' }))
  const tools = [local(server.port, { name: 'notes' }, '/{id}'), pay, askUser]
  const model = saying({ calls: [note(1)] }, { calls: [note(2), euros(5)] })
  const agents = [
    agent({ name: 'desk', model, tools, instructions: 'Be kind.' }),
    agent({ name: 'terse', model: saying('No.'), tools }),
  ]
  const runtime = await holdpoint({ store: memoryStore({ now: Date.now }), agents })
  onTestFinished(() => runtime.close())
  const first = await runtime.send('c', 'Go', { agent: 'desk', by: 'ada' })
  await runtime.approve('c', first.holds[0]!.callId)
  await runtime.continue('c')
  paid.length = 0
  return { runtime, server, other: (...says) => agent({ name: 'candidate', model: saying(...says), tools }) }
}

async function all(turns: AsyncGenerator<ReplayedTurn>): Promise<ReplayedTurn[]> {
  const found: ReplayedTurn[] = []
  for await (const turn of turns) found.push(turn)
  return found
}

test('a replay with the same decisions runs no tool, sends no request and writes nothing', async () => {
  const { runtime, server, other } = await desk()
  const [requests, events] = [server.seen.length, await runtime.events('c')]
  const model = other({ calls: [note(1)] }, { calls: [euros(5), note(2)] })
  const [turn] = await all(runtime.replay('c', { agent: model }))
  expect(turn).toMatchObject({ stopped: 'end', sameCalls: true, sameText: true, differences: [] })
  expect(turn?.replayed.steps.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
    ['notes'],
    ['pay', 'notes'],
    [],
  ])
  expect([server.seen.length, paid]).toEqual([requests, []])
  expect(await runtime.events('c')).toEqual(events)
  expect((await runtime.pending()).items).toEqual([])
})

test('the model reads the recorded results', async () => {
  const { runtime, other } = await desk()
  const candidate = other({ calls: [note(2)] }, { calls: [note(1)] })
  await all(runtime.replay('c', { agent: candidate }))
  const { requests } = candidate.model as ReturnType<typeof saying>
  expect(JSON.stringify(requests.at(-1)?.prompt)).toContain('Hello')
  expect(requests).toHaveLength(3)
})

test('another input is a difference, and a call without a recorded result ends the replay', async () => {
  const { runtime, server, other } = await desk()
  const requests = server.seen.length
  const [turn] = await all(runtime.replay('c', { agent: other({ calls: [note(1)] }, { calls: [note(2), euros(9)] }) }))
  expect(turn).toMatchObject({ stopped: 'no-result', sameCalls: false, sameTools: true })
  expect(turn?.differences[0]).toEqual({ step: 2, what: 'call', recorded: euros(5), replayed: euros(9) })
  const [asked] = await all(
    runtime.replay('c', { agent: other({ calls: [{ name: 'ask', input: { question: 'Sure?' } }] }) }),
  )
  expect(asked).toMatchObject({ stopped: 'no-result', sameTools: false })
  expect(asked?.differences.filter(({ step }) => step === 1)).toEqual([
    { step: 1, what: 'call', replayed: { name: 'ask', input: { question: 'Sure?' } } },
    { step: 1, what: 'call', recorded: note(1) },
  ])
  expect([server.seen.length, paid]).toEqual([requests, []])
})

test('an agent of the runtime answers under its name, and instructions can be replaced', async () => {
  const { runtime, other } = await desk()
  const [terse] = await all(runtime.replay('c', { agent: 'terse' }))
  expect(terse).toMatchObject({ replayed: { text: 'No.' }, sameText: false, sameCalls: false, stopped: 'end' })
  const candidate = other('Yes.')
  await all(runtime.replay('c', { agent: candidate, instructions: 'Say yes.' }))
  const { requests } = candidate.model as ReturnType<typeof saying>
  expect(JSON.stringify(requests[0]?.prompt)).toContain('Say yes.')
  await expect(all(runtime.replay('c', { agent: 'nope' }))).rejects.toThrow('There is no agent "nope"')
  await expect(all(runtime.replay('none'))).rejects.toThrow('no conversation')
  await expect(all(runtime.replay('c', { turn: 'none' }))).rejects.toThrow('no turn "none"')
})

test('a model that fails is a replay that failed', async () => {
  const { runtime, other } = await desk()
  const failing = {
    ...other('x'),
    model: {
      id: 'broken',
      stream: () => {
        throw new Error('Broken.')
      },
    },
  } as Agent
  const [turn] = await all(runtime.replay('c', { agent: { ...failing, retry: { attempts: 1 } } as Agent }))
  expect(turn).toMatchObject({ stopped: 'failed', sameCalls: false })
})

test('many conversations are replayed in bulk, with a report', async () => {
  const { runtime, other } = await desk()
  for (const id of ['d', 'e']) {
    const { holds } = await runtime.send(id, 'Go', { agent: 'desk' })
    await runtime.reject(id, holds[0]!.callId)
    await runtime.continue(id)
  }
  await runtime.send('f', 'Go', { agent: 'terse' })
  const candidate = other({ calls: [note(1)] }, { calls: [note(2), euros(5)] })
  const report = replayReport(await all(runtime.replayMany({ agent: candidate })))
  expect(report).toMatchObject({ turns: 4, sameCalls: 3, noResult: 1, failed: 0 })
  expect(report.summary).toBe('Of 4 turns, 3 ask for the same calls.')
  expect(report.different.map(({ conversationId }) => conversationId)).toEqual(['f'])
  const some = await all(runtime.replayMany({ agent: candidate, filter: { agent: 'desk', limit: 2 } }))
  expect(some.map(({ conversationId }) => conversationId)).toEqual(['e', 'd'])
})
