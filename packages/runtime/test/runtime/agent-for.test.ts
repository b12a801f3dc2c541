/** Agents that are not known when a runtime opens: asked for when one of their conversations is used. */
import { scriptedModel, testPorts, type Script, type ScriptedModel } from '@holdpoint/testing'
import { agent, memoryStore, Runtime, type Agent, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import {
  asking,
  calls,
  count,
  gated,
  heldId,
  noting,
  outcomes,
  slow,
  timesAsked,
  types,
  World,
  type Process,
} from '../../../../test/kit/runtime-kit.ts'

/** Agents by tenant and name, to be changed while a runtime uses them. */
class Shelf {
  readonly asked: string[] = []
  readonly #agents = new Map<string, Agent>()

  put(name: string, says: readonly Script[], tools: readonly Tool[] = [], tenant = ''): void {
    this.#agents.set(`${tenant}/${name}`, agent({ name, model: repeating(says), tools }))
  }

  remove(name: string): void {
    this.#agents.delete(`/${name}`)
  }

  readonly agentFor = async (tenant: string, name: string): Promise<Agent | undefined> => {
    this.asked.push(`${tenant}/${name}`)
    return this.#agents.get(`${tenant}/${name}`)
  }
}

/** The nth reply of a turn. */
function repeating(says: readonly Script[]): ScriptedModel {
  return scriptedModel(
    Array.from({ length: 500 }, (): Script => ({ prompt }) => {
      const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
      return says[since.filter(({ role }) => role === 'assistant').length] ?? 'The end.'
    }),
  )
}

async function open(world: World, shelf: Shelf, more: object = {}): Promise<Process> {
  return world.process('a', { agents: [], agentFor: shelf.agentFor, ...more })
}

test('an agent is asked for by tenant and name when a conversation of it begins, and each tenant has its own', async () => {
  const world = new World()
  const shelf = new Shelf()
  const a = await open(world, shelf)
  expect(shelf.asked).toEqual([])
  shelf.put('desk', ['Acme here.'], [], 'acme')
  shelf.put('desk', ['Umbrella here.'], [], 'umbrella')

  const said = ['acme', 'umbrella'].map((tenant) => a.runtime.tenant(tenant).send('c', 'Hi', { agent: 'desk' }))

  expect((await Promise.all(said)).map(({ text }) => text)).toEqual(['Acme here.', 'Umbrella here.'])
  expect(shelf.asked.toSorted()).toEqual(['acme/desk', 'umbrella/desk'])
  expect(await a.runtime.tenant('acme').send('c', 'Again')).toMatchObject({ text: 'Acme here.' })
})

test('an unknown agent is named as missing, with what to do, and nothing is written', async () => {
  const world = new World()
  const a = await open(world, new Shelf())

  const missing = {
    code: 'agent-missing',
    message:
      'Conversation "c" is for agent "desk", which is missing: agentFor returns no such agent of tenant "acme". Define it, and the conversation continues.',
  }
  const acme = a.runtime.tenant('acme')
  await expect(acme.send('c', 'Hi', { agent: 'desk' })).rejects.toMatchObject(missing)
  await expect(acme.create({ id: 'c', agent: 'desk' })).rejects.toMatchObject(missing)
  await expect(a.runtime.send('c', 'Hi')).rejects.toThrow('Say which agent conversation "c" is for, with { agent }.')
  await expect(a.runtime.send('c', 'Hi', { agent: 7 as never })).rejects.toMatchObject({ code: 'config-invalid' })
  expect(await world.log('c', 'acme')).toEqual([])
})

test('agents it was opened with come first, and the others are asked for', async () => {
  const world = new World()
  const shelf = new Shelf()
  shelf.put('sales', ['Sold.'])
  const a = await world.process('a', { says: ['Hi.'], agentFor: shelf.agentFor })

  expect(await a.runtime.send('c', 'Hi', { agent: 'desk' })).toMatchObject({ text: 'Hi.' })
  expect(await a.runtime.send('d', 'Hi', { agent: 'sales' })).toMatchObject({ text: 'Sold.' })
  // The only one that it was opened with is meant where no other is named.
  expect(await a.runtime.send('e', 'Hi')).toMatchObject({ status: 'done' })
  expect((await a.runtime.view('e'))?.agent).toBe('desk')
  expect(shelf.asked).toEqual(['/sales'])
})

test('a definition that changed is used by the next turn, though the conversation is in memory', async () => {
  const world = new World()
  const shelf = new Shelf()
  shelf.put('desk', ['Before.'])
  const a = await open(world, shelf)
  await a.runtime.send('c', 'Hi', { agent: 'desk' })

  shelf.put('desk', ['After.'])

  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ text: 'After.' })
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ text: 'After.' })
  expect(timesAsked(a, 'load', 'c')).toBe(2)
})

test('a turn at work goes on with the definition that it began with', async () => {
  const world = new World()
  const shelf = new Shelf()
  const work = slow('work')
  shelf.put('desk', [calls('work'), 'Before.'], [work.tool])
  const a = await open(world, shelf)
  const sending = a.runtime.send('c', 'Work', { agent: 'desk' })
  await world.until(() => work.started.length === 1)

  shelf.put('desk', ['After.'])
  await a.runtime.send('c', 'And?') // refused: it is busy
  work.release()

  expect(await sending).toMatchObject({ status: 'done', text: 'Before.' })
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ text: 'After.' })
})

test('a definition that comes late does not take a conversation away from a process that began to work on it meanwhile', async () => {
  const world = new World()
  const shelf = new Shelf()
  const work = slow('work')
  shelf.put('desk', [calls('work'), 'Before.'], [work.tool])
  const late = Promise.withResolvers<void>()
  const a = await open(world, shelf, {
    agentFor: async (tenant: string, name: string) => {
      const found = shelf.agentFor(tenant, name)
      if (shelf.asked.length !== 2) return found
      await late.promise
      return shelf.agentFor(tenant, name)
    },
  })
  await a.runtime.create({ id: 'c', agent: 'desk' })
  const waits = a.runtime.send('c', 'First')
  await world.calm()
  const works = a.runtime.send('c', 'Second')
  await world.until(() => work.started.length === 1)

  shelf.put('desk', ['After.'])
  late.resolve()

  expect(await waits).toMatchObject({ status: 'refused', reason: 'turn-in-progress' })
  work.release()
  expect(await works).toMatchObject({ status: 'done', text: 'Before.' })
  expect(timesAsked(a, 'load', 'c')).toBe(1)
})

test('a call whose tool was changed while it waited for a yes is asked about again', async () => {
  const world = new World()
  const shelf = new Shelf()
  const ran: string[] = []
  shelf.put('desk', [calls('pay')], [noting(ran, 'pay', gated)])
  const a = await open(world, shelf)
  await a.runtime.send('c', 'Pay', { agent: 'desk' })

  shelf.put('desk', [calls('pay')], [noting(ran, 'pay', { ...gated, description: 'Pay twice' })])
  await a.runtime.approve('c', await heldId(a, 'pay'))
  await world.calm()

  expect(ran).toEqual([])
  expect((await a.runtime.pending()).items).toMatchObject([{ name: 'pay', cause: 'changed', nth: 2 }])
  await a.runtime.approve('c', await heldId(a, 'pay'), { hold: 2 })
  await world.until(() => ran.length === 1)
})

test('a call whose tool is gone says so, and the conversation goes on', async () => {
  const world = new World()
  const shelf = new Shelf()
  const ran: string[] = []
  shelf.put('desk', [calls('pay')], [noting(ran, 'pay', gated)])
  const a = await open(world, shelf)
  await a.runtime.send('c', 'Pay', { agent: 'desk' })

  shelf.put('desk', [calls('pay'), 'Then not.'])
  const callId = await heldId(a, 'pay')
  await a.runtime.approve('c', callId)

  expect(await world.soon(a.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'Then not.' })
  expect(ran).toEqual([])
  expect(outcomes(await world.log())[callId]).toMatchObject({ ok: false, error: { code: 'unknown-tool' } })
})

test('work of any agent is looked for, and with a fixed list only theirs', async () => {
  const world = new World()
  const a = await open(world, new Shelf())
  const b = await world.process('b', { agents: ['desk', 'sales'] })
  await world.pass(1000)

  const queries = ({ asked }: Process) => asked.flatMap(({ question, given }) => (question === 'due' ? given : []))
  expect(queries(a)[0]).toEqual({ limit: 100 })
  expect(queries(b)[0]).toEqual({ agents: ['desk', 'sales', 'holdpoint.space'], limit: 100 })
})

/** Conversations whose deadline comes in 5 s, made by a process that is gone. */
async function expiring(world: World, agents: readonly string[], ...ids: readonly string[]): Promise<void> {
  const setup = { says: [calls('ask'), 'No answer came.'], tools: [asking('ask', 'human', { timeout: '5s' })] }
  const gone = await world.process('gone', { ...setup, agents })
  for (const id of ids) await gone.runtime.send(id, 'Ask', { agent: agents[0]! })
  gone.kill()
}

test('conversations without their agent are told of once, not read again and again, and go on when it is there', async () => {
  const world = new World()
  await expiring(world, ['sales'], 'c', 'd')
  const shelf = new Shelf()
  shelf.put('desk', ['Hi.'])
  const a = await open(world, shelf)

  await world.pass(60_000)

  const sales = shelf.asked.length
  expect(a.problems).toMatchObject([
    { error: { code: 'agent-missing', message: expect.stringContaining('"sales"') }, conversation: { id: 'c' } },
  ])
  expect([timesAsked(a, 'load', 'c'), timesAsked(a, 'load', 'd')]).toEqual([1, 1])
  expect(sales).toBeLessThanOrEqual(14)
  expect(await a.runtime.send('e', 'Hi', { agent: 'desk' })).toMatchObject({ status: 'done' })
  await world.pass(600_000)
  expect(a.problems).toHaveLength(2)

  shelf.put('sales', ['Unused', 'No answer came.'])
  await world.pass(6000)

  for (const id of ['c', 'd']) expect(types(await world.log(id)).slice(-2)).toEqual(['call.settled', 'model.replied'])
})

test('an agent that was removed leaves its conversations waiting, and takes them up when it is back', async () => {
  const world = new World()
  const shelf = new Shelf()
  const ask = asking('ask', 'human', { timeout: '5s' })
  shelf.put('desk', [calls('ask')], [ask])
  const a = await open(world, shelf)
  await a.runtime.send('c', 'Ask', { agent: 'desk' })

  shelf.remove('desk')
  await expect(a.runtime.send('c', 'More')).rejects.toMatchObject({ code: 'agent-missing' })
  await world.pass(20_000)
  expect(count(await world.log(), 'call.settled')).toBe(0)
  expect(a.problems).toHaveLength(1)
  shelf.put('desk', [calls('ask'), 'No answer came.'], [ask])
  await world.pass(6000)

  expect(count(await world.log(), 'call.settled')).toBe(1)
})

test('very many of them do not keep the others waiting, nor the operator busy', async () => {
  const world = new World()
  const ids = Array.from({ length: 350 }, (_, n) => `c${n}`)
  await expiring(world, ['sales'], ...ids)
  await expiring(world, ['desk'], 'last')
  const shelf = new Shelf()
  shelf.put('desk', [calls('ask'), 'No answer came.'])
  await world.clock.advance(5000)
  const a = await open(world, shelf)

  await world.calm()

  expect(types(await world.log('last')).at(-1)).toBe('model.replied')
  await world.pass(10_000)
  expect(a.problems).toHaveLength(1)
  expect(timesAsked(a, 'load')).toBeLessThanOrEqual(ids.length + 1)
})

test.each<[what: string, given: () => unknown, message: string]>([
  ['something else', () => ({ name: 'desk' }), 'returned another object, not an agent made by agent()'],
  ['text', () => 'desk', 'returned a string, not an agent made by agent()'],
  [
    'another agent',
    () => agent({ name: 'sales', model: repeating([]) }),
    'asked for agent "desk" and returned "sales"',
  ],
])('an agentFor that gives %s is told so, and nothing is written', async (_what, given, message) => {
  const world = new World()
  const a = await world.process('a', { agents: [], agentFor: async () => given() as Agent })

  await expect(a.runtime.send('c', 'Hi', { agent: 'desk' })).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(message),
  })
  expect(await world.log()).toEqual([])
})

test('an agentFor that fails fails its caller, and is asked again', async () => {
  const world = new World()
  const shelf = new Shelf()
  shelf.put('desk', ['Hi.'])
  let away = true
  const agentFor = (tenant: string, name: string) => {
    if (away) throw new Error('The table of agents is away.')
    return shelf.agentFor(tenant, name)
  }
  const a = await world.process('a', { agents: [], agentFor })
  await expect(a.runtime.send('c', 'Hi', { agent: 'desk' })).rejects.toThrow('The table of agents is away.')

  away = false

  expect(await a.runtime.send('c', 'Hi', { agent: 'desk' })).toMatchObject({ text: 'Hi.' })
})

test('an agentFor that makes a new agent each time is slow, and right', async () => {
  const world = new World()
  const agentFor = async (_tenant: string, name: string) => agent({ name, model: repeating(['Hi.']) })
  const a = await world.process('a', { agents: [], agentFor })
  await a.runtime.send('c', 'One', { agent: 'desk' })

  const more = [1, 2, 3, 4, 5].map((n) => a.runtime.send('c', `${n}`, { whileBusy: 'queue' }))
  for (const result of await Promise.all(more)) expect(result).toMatchObject({ status: 'done' })

  expect((await world.log()).map(({ seq }) => seq)).toEqual((await world.log()).map((_, index) => index + 1))
  const started = (await world.log()).flatMap((event) => (event.type === 'turn.started' ? event.items : []))
  expect(started).toHaveLength(6)
})

test('a runtime is opened with agents, with agentFor, or both', async () => {
  const store = memoryStore({ now: () => 0 })
  const agentFor = async (): Promise<undefined> => {}
  const refused = [{}, { agents: [] }, { agents: [7], agentFor }, { agentFor: 'desk' }]
  for (const options of refused)
    await expect(Runtime.open({ store, ports: testPorts(), ...options } as never)).rejects.toMatchObject({
      code: 'config-invalid',
    })
})
