/** Typed state of each plugin in each conversation: checked when written, kept as events, seen by later work only when the work that wrote it succeeded. */
import {
  askUser,
  defineAgent,
  definePlugin,
  HoldpointError,
  toolDefiner,
  toolError,
  type AgentOptions,
  type LogEvent,
} from '@holdpoint/core'
import { chat, Session } from '@holdpoint/runtime'
import { scriptedModel, testPorts, type Script } from '@holdpoint/testing'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const tool = toolDefiner(undefined)
const nothing = z.object({})
const todo = definePlugin({
  id: 'todo',
  state: z.object({ items: z.array(z.string()), limit: z.number().default(3) }),
  initial: { items: [], limit: 3 },
})

const add = tool({
  name: 'todo.add',
  description: 'Add an item',
  input: z.object({ item: z.string() }),
  run: async ({ input, state }) => {
    const { items = [] } = state.get(todo) ?? {}
    await state.set(todo, { items: [...items, input.item], limit: 3 })
    return state.get(todo)?.items.length
  },
})

function desk(scripts: readonly Script[], options: Partial<AgentOptions> = {}) {
  return defineAgent(
    { name: 'desk', model: scriptedModel(scripts), tools: [add], plugins: [todo], ...options },
    testPorts(),
  )
}

function changes(events: readonly LogEvent[]): unknown[] {
  return events.flatMap((event) => (event.type === 'state.changed' ? [event.value] : []))
}

describe('what a tool writes', () => {
  test('is kept as an event, written together with the outcome and before it', async () => {
    const { session } = await chat(desk([{ calls: [{ name: 'todo.add', input: { item: 'milk' } }] }, 'done']), 'go')
    const at = session.events.findIndex(({ type }) => type === 'state.changed')
    expect(session.events.slice(at, at + 2)).toMatchObject([
      { type: 'state.changed', plugin: 'todo', value: { items: ['milk'], limit: 3 } },
      { type: 'call.settled', outcome: { ok: true, value: 1 } },
    ])
  })

  test('is read by the next call, the next turn, and a session opened from its JSON', async () => {
    const call = (item: string) => ({ calls: [{ name: 'todo.add', input: { item } }] })
    const first = await chat(desk([call('milk'), call('eggs'), 'done']), 'go')
    const saved = JSON.stringify(first.session)

    const reopened = await Session.open(desk([call('tea'), 'done']), { data: JSON.parse(saved) })
    await reopened.send('more')

    expect(changes(reopened.events).at(-1)).toEqual({ items: ['milk', 'eggs', 'tea'], limit: 3 })
  })

  test('belongs to its conversation: another one starts from the initial state', async () => {
    const scripts = [{ calls: [{ name: 'todo.add', input: { item: 'milk' } }] }, 'done']
    const one = await chat(desk(scripts), 'go')
    const two = await chat(desk(scripts), 'go')
    expect([one, two].map(({ steps }) => steps[0]?.calls[0]?.outcome)).toEqual([
      { ok: true, value: 1 },
      { ok: true, value: 1 },
    ])
  })

  test('is kept when the tool goes on to ask a person', async () => {
    const ask = tool({
      name: 'ask',
      description: 'x',
      input: nothing,
      run: async ({ state }) => {
        await state.set(todo, { items: ['asked'], limit: 1 })
        return askUser('Really?')
      },
    })
    const { session } = await chat(desk([{ calls: [{ name: 'ask' }] }], { tools: [ask] }), 'go')
    expect(changes(session.events)).toEqual([{ items: ['asked'], limit: 1 }])
  })
})

describe('nothing is kept', () => {
  const writing = { name: 'write', description: 'x', input: nothing }
  test.each([
    [
      'throws',
      tool({
        ...writing,
        run: async ({ state }) => {
          await state.set(todo, { items: ['lost'], limit: 1 })
          throw new Error('boom')
        },
      }),
    ],
    [
      'says that it failed',
      tool({
        ...writing,
        run: async ({ state }) => {
          await state.set(todo, { items: ['lost'], limit: 1 })
          return toolError('no')
        },
      }),
    ],
    [
      'gives what its output schema refuses',
      tool({
        ...writing,
        output: z.number(),
        run: async ({ state }) => {
          await state.set(todo, { items: ['lost'], limit: 1 })
          return 'five' as unknown as number
        },
      }),
    ],
    [
      'writes what the schema of the state refuses',
      tool({
        ...writing,
        run: async ({ state }) => {
          await state.set(todo, { items: ['lost'], limit: 1 })
          await state.set(todo, { items: [5 as unknown as string], limit: 1 })
        },
      }),
    ],
  ])('of a tool that %s', async (_what, failing) => {
    const { steps, session } = await chat(desk([{ calls: [{ name: 'write' }] }, 'done'], { tools: [failing] }), 'go')
    expect(steps[0]?.calls[0]?.outcome?.ok).toBe(false)
    expect(changes(session.events)).toEqual([])
    expect(session.state.plugins).toEqual({})
  })

  test('of a tool that ran out of time, though it writes later', async () => {
    const ports = testPorts()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const late = tool({
      ...writing,
      timeout: '1 second',
      run: async ({ state }) => {
        started.resolve()
        await gate.promise
        await state.set(todo, { items: ['late'], limit: 1 })
      },
    })
    const agent = defineAgent(
      { name: 'desk', model: scriptedModel([{ calls: [{ name: 'write' }] }, 'done']), tools: [late], plugins: [todo] },
      ports,
    )
    const turn = chat(agent, 'go')
    await started.promise
    await ports.clock.advance(1000)
    const { session, steps } = await turn
    gate.resolve()
    await ports.clock.advance(1000)
    expect(steps[0]?.calls[0]?.outcome).toMatchObject({ error: { code: 'timed-out' } })
    expect(changes(session.events)).toEqual([])
  })
})

describe('a write', () => {
  async function writing(value: unknown, plugin: typeof todo = todo) {
    let thrown: unknown
    const write = tool({
      name: 'write',
      description: 'x',
      input: nothing,
      run: ({ state }) => state.set(plugin, value as never).catch((error: unknown) => void (thrown = error)),
    })
    const { session } = await chat(
      desk([{ calls: [{ name: 'write' }] }, 'done'], { tools: [write], plugins: [plugin] }),
      'go',
    )
    return { thrown, changes: changes(session.events) }
  }

  test('is checked by the schema of the plugin, and throws where it does not fit', async () => {
    const { thrown, changes: written } = await writing({ items: 'milk' })
    expect(HoldpointError.is(thrown) && thrown).toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(/The state of plugin "todo" does not fit its schema: items: /),
    })
    expect(written).toEqual([])
  })

  test('keeps what the schema makes of it, defaults included', async () => {
    expect((await writing({ items: ['milk'] })).changes).toEqual([{ items: ['milk'], limit: 3 }])
  })

  test('of what is not JSON is refused', async () => {
    const anything = definePlugin({ id: 'todo', state: z.any() }) as unknown as typeof todo
    expect((await writing({ amount: 1n }, anything)).thrown).toMatchObject({
      message: expect.stringContaining('BigInt'),
    })
  })

  test('may be checked by a schema that cannot describe itself to a model, which never sees it', async () => {
    const valibot = definePlugin({
      id: 'todo',
      state: v.object({ items: v.array(v.string()) }),
    }) as unknown as typeof todo
    expect((await writing({ items: ['milk'] }, valibot)).changes).toEqual([{ items: ['milk'] }])
    expect((await writing({ items: [1] }, valibot)).thrown).toMatchObject({ code: 'config-invalid' })
  })
})

describe('what is read', () => {
  test('is the caller’s own copy: changing it changes neither the log nor any initial state', async () => {
    const careless = tool({
      name: 'careless',
      description: 'x',
      input: nothing,
      run: ({ state }) => {
        state.get(todo)?.items.push('scribbled')
        return state.get(todo)?.items
      },
    })
    const script = [
      { calls: [{ name: 'careless' }] },
      { calls: [{ name: 'todo.add', input: { item: 'milk' } }] },
      { calls: [{ name: 'careless' }] },
      'done',
    ]
    const { session, steps } = await chat(desk(script, { tools: [add, careless] }), 'go')

    expect(steps.map(({ calls }) => calls[0]?.outcome)).toEqual([
      { ok: true, value: [] },
      { ok: true, value: 1 },
      { ok: true, value: ['milk'] },
      undefined,
    ])
    expect(changes(session.events)).toEqual([{ items: ['milk'], limit: 3 }])
    expect(todo.initial).toEqual({ items: [], limit: 3 })
  })

  test('is undefined while nothing was written and the plugin has no initial state', async () => {
    const seen: unknown[] = []
    const plain = definePlugin({
      id: 'constructor',
      state: z.number(),
      prepare: ({ state }) => void seen.push(state.get(plain)),
    })
    await chat(desk(['done'], { plugins: [plain] }), 'go')
    expect(seen).toEqual([undefined])
  })

  test('is null where null was written, and not the initial state again', async () => {
    const maybe = definePlugin({ id: 'maybe', state: z.string().nullable(), initial: 'something' })
    const clear = tool({
      name: 'clear',
      description: 'x',
      input: nothing,
      run: async ({ state }) => {
        const before = state.get(maybe)
        await state.set(maybe, null)
        return [before, state.get(maybe)]
      },
    })
    const { steps } = await chat(
      desk([{ calls: [{ name: 'clear' }] }, { calls: [{ name: 'clear' }] }, 'done'], {
        tools: [clear],
        plugins: [maybe],
      }),
      'go',
    )
    expect(steps.map(({ calls }) => calls[0]?.outcome)).toMatchObject([
      { value: ['something', null] },
      { value: [null, null] },
      undefined,
    ])
  })

  test('is the plugin’s own, whatever the ids of others', async () => {
    const seen: unknown[] = []
    const a = definePlugin({ id: 'a', state: z.number() })
    const b = definePlugin({ id: 'a.b', state: z.number() })
    const write = tool({
      name: 'write',
      description: 'x',
      input: nothing,
      run: async ({ state }) => {
        await state.set(a, 1)
        await state.set(b, 2)
        seen.push(state.get(a), state.get(b))
      },
    })
    const { session } = await chat(
      desk([{ calls: [{ name: 'write' }] }, 'done'], { tools: [write], plugins: [a, b] }),
      'go',
    )
    expect(seen).toEqual([1, 2])
    expect(session.state.plugins).toEqual({ a: 1, 'a.b': 2 })
  })
})
