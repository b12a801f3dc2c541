/** Plugins: set up once, asked before every model call what the model sees, configured by the agent that uses them. */
import {
  defineAgent,
  definePlugin,
  HoldpointError,
  toolDefiner,
  type Plugin,
  type PromptMessage,
} from '@holdpoint/core'
import { chat, Session } from '@holdpoint/runtime'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, toldTo } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const nothing = z.object({})
const look = tool({ name: 'look', description: 'Look around', input: nothing, run: () => 'grass' })
const looking = { calls: [call('look')] }

function system(prompt: readonly PromptMessage[] | undefined): string[] {
  return (prompt ?? []).flatMap((message) => (message.role === 'system' ? [message.text] : []))
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('It did not fail.'),
    (error: unknown) => error,
  )
}

describe('setup', () => {
  test('runs once, before the first model call, in the order of the plugins, however many conversations begin at once', async () => {
    const log: string[] = []
    const plugins = ['a', 'b'].map((id) =>
      definePlugin({
        id,
        setup: async () => {
          log.push(`${id} begins`)
          await Promise.resolve()
          log.push(`${id} is ready`)
        },
      }),
    )
    const say = () => {
      log.push('model')
      return 'hello'
    }
    const { agent } = desk([say, say, say], { plugins })
    await Promise.all([chat(agent, 'one'), chat(agent, 'two')])
    await chat(agent, 'three')
    expect(log).toEqual(['a begins', 'a is ready', 'b begins', 'b is ready', 'model', 'model', 'model'])
  })

  test('runs again for another agent', async () => {
    let times = 0
    const plugin = definePlugin({ id: 'p', setup: () => void times++ })
    await chat(desk(['x'], { plugins: [plugin] }).agent, 'go')
    await chat(desk(['x'], { plugins: [plugin] }).agent, 'go')
    expect(times).toBe(2)
  })
})

describe('prepare', () => {
  test('runs before every model call and is told where it is', async () => {
    const seen: unknown[] = []
    const plugin = definePlugin({
      id: 'p',
      prepare: ({ conversation, scope }) => void seen.push({ ...conversation, user: scope['user'] }),
    })
    const { agent } = desk([looking, looking, 'done', 'again'], { tools: [look], plugins: [plugin] })
    const { session } = await chat(agent, 'go', { scope: { user: 'ada' } })
    await session.send('more', { scope: { user: 'bob' } })

    const [first, second] = session.events.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []))
    const at = { tenant: '', id: session.id, turnId: first, user: 'ada', queue: [], plans: [] }
    expect(seen).toEqual([
      { ...at, step: 1 },
      { ...at, step: 2 },
      { ...at, step: 3 },
      { ...at, turnId: second, user: 'bob', step: 1 },
    ])
  })

  test('tells the model more, after the instructions, for this call alone', async () => {
    let weather = 'sun'
    const plugin = definePlugin({
      id: 'weather',
      prepare: ({ context }) => {
        context.push(`Outside: ${weather}`)
        weather = 'rain'
      },
    })
    const { agent, model } = desk([looking, 'done'], { instructions: 'Be brief.', tools: [look], plugins: [plugin] })
    await chat(agent, 'go')
    expect(model.requests.map(({ prompt }) => system(prompt))).toEqual([
      ['Be brief.', 'Outside: sun'],
      ['Be brief.', 'Outside: rain'],
    ])
  })

  test('decides by the state which tools and words there are', async () => {
    const cart: Plugin<string[]> = definePlugin({
      id: 'cart',
      state: z.array(z.string()),
      initial: [],
      tools: [
        tool({
          name: 'cart.add',
          description: 'Add',
          input: z.object({ item: z.string() }),
          run: async ({ input, state }) => state.set(cart, [...(state.get(cart) ?? []), input.item]),
        }),
      ],
      prepare: ({ state, tools, context }) => {
        const items = state.get(cart) ?? []
        context.push(`In the cart: ${items.join(', ') || 'nothing'}`)
        if (items.length > 0)
          tools.push(
            tool({ name: 'cart.pay', description: 'Pay', input: nothing, run: () => `paid for ${items.length}` }),
          )
      },
    })
    const { agent, model } = desk(
      [{ calls: [call('cart.add', { item: 'tea' })] }, { calls: [call('cart.pay')] }, 'done'],
      { plugins: [cart] },
    )
    await chat(agent, 'go')

    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['cart__add'],
      ['cart__add', 'cart__pay'],
      ['cart__add', 'cart__pay'],
    ])
    expect(model.requests.map(({ prompt }) => system(prompt))).toEqual([
      ['In the cart: nothing'],
      ['In the cart: tea'],
      ['In the cart: tea'],
    ])
    expect(toldTo(model)).toMatchObject({ cart__pay: { ok: true, result: 'paid for 1' } })
  })

  test('may write to its state, which is kept with the reply and seen by the tools of that step', async () => {
    const visits: Plugin<number> = definePlugin({
      id: 'visits',
      state: z.number(),
      initial: 0,
      prepare: async ({ state }) => state.set(visits, (state.get(visits) ?? 0) + 1),
    })
    const count = tool({ name: 'count', description: 'Count', input: nothing, run: ({ state }) => state.get(visits) })
    const { agent, model } = desk([{ calls: [call('count')] }, 'done'], { tools: [count], plugins: [visits] })
    const { session } = await chat(agent, 'go')
    expect(toldTo(model)).toEqual({ count: { ok: true, result: 1 } })
    expect(session.state.plugins).toEqual({ visits: 2 })
  })

  test('that fails stops before the model is called, and the turn can be taken up once it works', async () => {
    let down = true
    const plugin = definePlugin({
      id: 'p',
      prepare: () => {
        if (down) throw new Error('database is down')
      },
    })
    const { agent, model } = desk(['hello'], { plugins: [plugin] })
    const session = await Session.open(agent)
    expect(await failure(session.send('go'))).toMatchObject({ message: 'database is down' })
    expect(model.requests).toHaveLength(0)

    down = false
    expect(await session.continue()).toMatchObject({ status: 'done', text: 'hello' })
  })
})

describe('config', () => {
  const seen: unknown[] = []
  const greeter = definePlugin({
    id: 'greeter',
    config: z.object({ name: z.string(), times: z.number().int().default(1) }),
    state: z.number(),
    setup: ({ config }) => void seen.push(config),
    prepare: ({ config, context }) => void context.push(`${config.name} × ${config.times}`),
  })

  test('is given with .with(), checked, and handed to setup and prepare with its defaults', async () => {
    seen.length = 0
    const { agent, model } = desk(['done'], { plugins: [greeter.with({ name: 'Ada' })] })
    await chat(agent, 'go')
    expect(seen).toEqual([{ name: 'Ada', times: 1 }])
    expect(system(model.requests[0]?.prompt)).toEqual(['Ada × 1'])
  })

  test.each([
    ['is missing', greeter, /name: /],
    ['does not fit', greeter.with({ name: 'Ada', times: 1.5 }), /times: /],
  ])('that %s is refused before anything is set up or asked', async (_what, plugin, where) => {
    seen.length = 0
    const { agent, model } = desk(['done'], { plugins: [plugin] })
    const error = await failure(chat(agent, 'go'))
    expect(error).toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(
        /The config of plugin "greeter" does not fit its schema: .* Give it with plugin\.with\(\{ … \}\)\./,
      ),
    })
    expect((error as Error).message).toMatch(where)
    expect(seen).toEqual([])
    expect(model.requests).toHaveLength(0)
  })

  test('of one use leaves the plugin and its other uses alone', async () => {
    const [one, two] = [greeter.with({ name: 'Ada' }), greeter.with({ name: 'Bob', times: 2 })].map((plugin) =>
      desk(['done'], { plugins: [plugin] }),
    )
    await chat(two!.agent, 'go')
    await chat(one!.agent, 'go')
    expect([one, two].map((each) => system(each?.model.requests[0]?.prompt))).toEqual([['Ada × 1'], ['Bob × 2']])
  })

  test('may hold what JSON cannot: a function, a handle', async () => {
    const audit = definePlugin({
      id: 'audit',
      config: z.object({ record: z.custom<(what: string) => void>((value) => typeof value === 'function') }),
      setup: ({ config }) => config.record('set up'),
    })
    const recorded: string[] = []
    await chat(desk(['done'], { plugins: [audit.with({ record: (what) => recorded.push(what) })] }).agent, 'go')
    expect(recorded).toEqual(['set up'])
  })

  test('may be checked by any Standard Schema', async () => {
    const plugin = definePlugin({
      id: 'p',
      config: v.object({ name: v.string() }),
      prepare: ({ config, context }) => void context.push(config.name),
    })
    const { agent, model } = desk(['done'], { plugins: [plugin.with({ name: 'Ada' })] })
    await chat(agent, 'go')
    expect(system(model.requests[0]?.prompt)).toEqual(['Ada'])
  })

  test('does not change whose state it is', async () => {
    const configured = greeter.with({ name: 'Ada' })
    const write = tool({
      name: 'write',
      description: 'x',
      input: nothing,
      run: async ({ state }) => (await state.set(configured, 5), state.get(greeter)),
    })
    const { agent, model } = desk([{ calls: [call('write')] }, 'done'], { tools: [write], plugins: [configured] })
    await chat(agent, 'go')
    expect(toldTo(model)).toEqual({ write: { ok: true, result: 5 } })
  })
})

describe('a plugin is refused', () => {
  test.each([undefined, '', '9lives', 'with space', '__proto__', 'x'.repeat(65)])('with the id %j', (id) => {
    expect(() => definePlugin({ id: id as string })).toThrow(/is not a plugin id\. Use a letter, then up to 63/)
  })

  test.each(['state', 'config'] as const)('with a %s that is a raw JSON Schema', (key) => {
    expect(() => definePlugin({ id: 'p', [key]: { type: 'number' } })).toThrow(
      `Plugin "p": "${key}" must be a Standard Schema`,
    )
  })

  test('with an initial state that is not JSON', () => {
    expect(() => definePlugin({ id: 'p', state: z.any(), initial: { at: 1n } })).toThrow(HoldpointError)
  })

  test('beside another of the same id, or with a tool that is there already', () => {
    const model = scriptedModel([])
    const a = definePlugin({ id: 'a', tools: [look] })
    expect(() => defineAgent({ name: 'desk', model, plugins: [a, definePlugin({ id: 'a' })] }, testPorts())).toThrow(
      'Agent "desk" has two plugins with the id "a".',
    )
    expect(() => defineAgent({ name: 'desk', model, tools: [look], plugins: [a] }, testPorts())).toThrow(
      'two tools named "look"',
    )
  })
})
