/** What exactly was sent, kept for a while; and why the model said what it said. */
import { ModelError, tool, type Model, type ModelRequest } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, World, type Setup } from '../../../../test/kit/runtime-kit.ts'

const look = tool({
  name: 'look',
  description: 'Looks',
  input: z.object({}),
  retention: { turns: 1 },
  run: () => 'found '.repeat(50),
})

function setup(agent: Setup['agent'] = {}): Setup {
  return { says: [calls('look'), 'Well.'], tools: [look], agent }
}

test('without an audit nothing is kept', async () => {
  const world = new World()
  const a = await world.process('a', setup())
  await a.runtime.send('c', 'Hi')
  expect(await a.runtime.audit('c')).toEqual([])
})

test('an audit has what the model was sent, byte for byte, with what came of it', async () => {
  const world = new World()
  const settings = { temperature: 0.5, headers: { authorization: 'secret-key' } }
  const a = await world.process('a', setup({ audit: true, instructions: 'Be brief.', settings }))
  await a.runtime.send('c', 'Hi')

  const [second, first] = await a.runtime.audit('c')
  expect([first, second].map((each) => each?.request.prompt)).toEqual(a.model.requests.map(({ prompt }) => prompt))
  expect(first).toMatchObject({ step: 1, model: 'scripted', finish: 'calls', attempts: [], shown: { from: 1 } })
  expect(first?.request.tools).toEqual(a.model.requests[0]!.tools)
  expect(first?.request.settings).toEqual({ temperature: 0.5 })
  expect(JSON.stringify(first)).not.toContain('secret-key')
  expect(second?.usage).toEqual(expect.objectContaining({ inputTokens: expect.any(Number) }))
  expect(second?.sizes.conversation).toBeGreaterThan(first!.sizes.conversation)
})

test('an audit is kept as long as was said, and then removed', async () => {
  const world = new World()
  const a = await world.process('a', setup({ audit: { keep: '1 hour' } }))
  await a.runtime.send('c', 'Hi')
  expect(await a.runtime.audit('c')).toHaveLength(2)
  await world.pass(30 * 60_000)
  expect(await a.runtime.audit('c')).toHaveLength(2)
  await world.pass(45 * 60_000)
  expect(await a.runtime.audit('c')).toEqual([])
  expect(await (await world.store).sweep(10)).toBe(0)
}, 80_000)

test('an audit that cannot be kept is a problem, and the turn goes on', async () => {
  const world = new World()
  const before: Setup['before'] = (question) => {
    if (question === 'note') throw new Error('No room for notes.')
    return undefined
  }
  const a = await world.process('a', { ...setup({ audit: true }), before })
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'done', text: 'Well.' })
  expect(a.problems.map(({ error }) => String(error))).toContain('Error: No room for notes.')
})

test('failed attempts are in the log without what the vendor said, and in the audit with it', async () => {
  const world = new World()
  const busy = new ModelError('Too many', { retryable: true, status: 429, retryAfterMs: 1500 })
  let asked = 0
  const reply = (): string => {
    if (++asked === 1) throw busy
    return 'Fine.'
  }
  const a = await world.process('a', { says: [reply], agent: { audit: true } })
  expect(await world.soon(a.runtime.send('c', 'Hi'))).toMatchObject({ status: 'done', text: 'Fine.' })

  const message = 'The model is busy or cannot be reached. Try again later.'
  const attempts = [{ model: 'scripted', message, status: 429, delayMs: 1500 }]
  expect((await world.log()).at(-1)).toMatchObject({ type: 'model.replied', attempts })
  expect(JSON.stringify(await world.log())).not.toContain('Too many')
  expect((await a.runtime.audit('c'))[0]).toMatchObject({ attempts, causes: ['Too many'] })
  const explained = await a.runtime.explain('c')
  expect(explained?.steps[0]).toMatchObject({ attempts, audit: { attempts } })
  expect(JSON.stringify(explained)).not.toContain('Too many')
})

test('a reply that broke off, and a model that failed permanently, are in the audit with what the vendor said', async () => {
  const world = new World()
  const model: Model = {
    id: 'broken',
    async *stream({ prompt }) {
      if (JSON.stringify(prompt).includes('Fail'))
        throw new ModelError('No such key', { retryable: false, status: 401 })
      yield { type: 'text', id: 't', delta: 'Half of' }
      throw new ModelError('Connection reset', { retryable: true })
    },
  }
  const a = await world.process('a', { agent: { audit: true, model } })
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ reason: 'interrupted' })
  expect(await a.runtime.send('d', 'Fail')).toMatchObject({ reason: 'model_failed' })
  expect(await a.runtime.audit('c')).toMatchObject([{ finish: 'interrupted', causes: ['Connection reset'] }])
  expect(await a.runtime.audit('d')).toMatchObject([{ causes: ['No such key'] }])
  expect(JSON.stringify([await a.runtime.explain('c'), await a.runtime.explain('d')])).not.toMatch(/No such|reset/)
})

test('the time to the first piece is that of the reply that stood, and a vendor’s greeting is no piece', async () => {
  let asked = 0
  const world = new World()
  const model: Model = {
    id: 'slow',
    async *stream() {
      yield { type: 'info', responseId: 'r' }
      if (++asked === 1) throw new ModelError('Busy', { retryable: true, retryAfterMs: 3000 })
      await world.clock.sleep(2000, new AbortController().signal)
      yield { type: 'text', id: 't', delta: 'Hi' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const a = await world.process('a', { agent: { audit: true, model } })
  await world.soon(a.runtime.send('c', 'Hi'))
  expect((await a.runtime.audit('c'))[0]?.firstMs).toBeGreaterThanOrEqual(5000)
})

test('secrets in the settings of a vendor or of its tools are not in an audit', async () => {
  const world = new World()
  const search = tool({
    name: 'search',
    executor: 'provider',
    id: 'vendor.search',
    args: { site: 'a.example', authorization: 'secret-1', servers: [{ headers: { x: 'secret-2' } }], maxTokens: 5 },
  })
  const provider = { vendor: { api_key: 'secret-3', apiKey: 'secret-4', accessToken: 'secret-5', effort: 'low' } }
  const a = await world.process('a', { tools: [search], agent: { audit: true, settings: { provider } } })
  await a.runtime.send('c', 'Hi')
  const [record] = await a.runtime.audit('c')
  expect(JSON.stringify(record)).not.toContain('secret-')
  expect(record?.request.settings.provider).toEqual({ vendor: { effort: 'low' } })
  expect(record?.request.tools).toMatchObject([{ args: { site: 'a.example', servers: [{}], maxTokens: 5 } }])
})

test('it forgot: a reader is told which results were left out, and since when', async () => {
  const world = new World()
  const a = await world.process('a', setup({ context: { window: { turns: 4 } } }))
  for (let nth = 1; nth <= 5; nth++) await a.runtime.send('c', `Message ${nth}`)

  const told = await a.runtime.explain('c')
  const step = told!.steps[0]!
  const prompt = a.model.requests.at(-2)!.prompt
  expect(told?.steps).toHaveLength(2)
  expect(step.seen.filter(({ what }) => what === 'message')).toHaveLength(count(prompt, 'user'))
  expect(step.leftOut).toContainEqual({ what: 'turns', from: 1, to: step.from - 1, why: 'no-room' })
  const left = step.leftOut.flatMap((each) => (each.what === 'result' ? [each.callId] : []))
  const stubs = prompt.flatMap((message) => (message.role === 'tool' ? message.results : [])).filter(({ content }) => JSON.stringify(content).includes('left out')) // prettier-ignore
  expect(left).toHaveLength(stubs.length)
  expect(stubs.length).toBeGreaterThan(0)
})

function count(prompt: ModelRequest['prompt'], role: string): number {
  return prompt.filter((message) => message.role === role).length
}

test('any turn can be explained, by any process, and one that never was cannot', async () => {
  const world = new World()
  const a = await world.process('a', setup({ context: { ownWords: { after: 1 } } }))
  for (let nth = 1; nth <= 4; nth++) await a.runtime.send('c', `Message ${nth}`)
  const turns = (await world.log()).flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []))
  const b = await world.process('b', setup({ context: { ownWords: { after: 1 } } }))

  expect((await b.runtime.explain('c', turns[0]))?.steps[0]).toMatchObject({ from: 1, leftOut: [] })
  const last = await b.runtime.explain('c', turns[3])
  expect(last?.steps[0]?.leftOut).toEqual([
    { what: 'steps', from: 1, why: 'own-words' },
    expect.objectContaining({ what: 'steps', why: 'own-words' }),
  ])
  expect(await b.runtime.explain('c', 'nope')).toBeUndefined()
  expect(await b.runtime.explain('nope')).toBeUndefined()
})

test('a turn that the model had no part in says why it ended', async () => {
  const world = new World()
  const a = await world.process('a', setup({ context: { budget: 30 } }))
  await a.runtime.send('c', 'long '.repeat(100))
  expect(await a.runtime.explain('c')).toMatchObject({ steps: [], ended: { reason: 'context_full' } })
})

test('a reply that was sent back is seen by the step that follows it, and by none after', async () => {
  const world = new World()
  const hooks = { afterMessage: [{ name: 'loud', run: ({ text }: { text: string }) => (text === 'quiet' ? { again: 'Louder.' } : undefined) }] } // prettier-ignore
  const says = [({ prompt }: ModelRequest) => (JSON.stringify(prompt).includes('Louder.') ? 'LOUD' : 'quiet')]
  const a = await world.process('a', { says, agent: { hooks } })
  await a.runtime.send('c', 'One')
  const first = await a.runtime.explain('c')
  expect(first?.steps[1]?.seen.map(({ what }) => what)).toEqual(['message', 'reply'])
  await a.runtime.send('c', 'Two')
  expect((await a.runtime.explain('c'))?.steps[0]?.leftOut).toContainEqual({ what: 'reply', seq: 2, why: 'sent-back' })
})

test('a turn without last words is shown whole, and explained so', async () => {
  const world = new World()
  const says = [calls('look'), ({ prompt }: ModelRequest) => (JSON.stringify(prompt).includes('Two') ? 'Well.' : '')]
  const a = await world.process('a', { says, tools: [look], agent: { context: { ownWords: { after: 1 } } } })
  for (const said of ['One', 'Two', 'Three']) await a.runtime.send('c', said)
  const step = (await a.runtime.explain('c'))!.steps[0]!
  expect(step.leftOut.filter(({ what }) => what === 'steps')).toEqual([])
  expect(step.seen.filter(({ what }) => what === 'result').length).toBeGreaterThan(0)
})
