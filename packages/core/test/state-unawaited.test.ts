/** A write to a plugin's state belongs to the call that made it, whether the handler awaits it or not. */
import {
  askUser,
  defineAgent,
  definePlugin,
  toolDefiner,
  type AgentOptions,
  type LogEvent,
  type ToolContext,
} from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { scriptedModel, testPorts, type Script } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const tool = toolDefiner(undefined)
const nothing = z.object({})
const todo = definePlugin({ id: 'todo', state: z.object({ items: z.array(z.string()), limit: z.number() }) })

function desk(scripts: readonly Script[], options: Partial<AgentOptions>) {
  return defineAgent({ name: 'desk', model: scriptedModel(scripts), plugins: [todo], ...options }, testPorts())
}

function changes(events: readonly LogEvent[]): unknown[] {
  return events.flatMap((event) => (event.type === 'state.changed' ? [event.value] : []))
}

describe('a write that the handler does not wait for', () => {
  /** The check answers when the test says so. */
  const slow = (gate: Promise<unknown>) =>
    definePlugin({ id: 'slow', state: z.number().refine(async (n) => (await gate, n > 0), 'must be above 0') })

  async function run(handler: (context: ToolContext) => unknown, options: Partial<AgentOptions> = {}) {
    const unhandled: unknown[] = []
    const heard = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', heard)
    try {
      const write = tool({ name: 'write', description: 'x', input: nothing, run: handler })
      const script = [{ calls: [{ name: 'write' }] }, 'done']
      const { steps, session } = await chat(desk(script, { tools: [write], ...options }), 'go')
      await new Promise((resolve) => setImmediate(resolve)) // when Node tells of rejections
      return { outcome: steps[0]?.calls[0]?.outcome, written: changes(session.events), unhandled }
    } finally {
      process.off('unhandledRejection', heard)
    }
  }
  const bad = { items: [5 as unknown as string], limit: 1 }

  test('fails the call when the state has more than 1,000,000 bytes, and nothing of it is written', async () => {
    const came = await run(({ state }) => void state.set(todo, { items: ['x'.repeat(1_000_001)], limit: 1 }))
    expect(came).toMatchObject({ outcome: { ok: false }, written: [], unhandled: [] })
    expect(JSON.stringify(came.outcome)).toContain('but the limit is 1000000')
  })

  test('is kept with the outcome', async () => {
    const came = await run(({ state }) => {
      void state.set(todo, { items: ['milk'], limit: 1 })
      return state.get(todo)?.items
    })
    expect(came).toEqual({
      outcome: { ok: true, value: ['milk'] },
      written: [{ items: ['milk'], limit: 1 }],
      unhandled: [],
    })
  })

  test('is awaited when its schema takes time, and keeps its place among the others', async () => {
    const gate = Promise.withResolvers<void>()
    const plugin = slow(gate.promise)
    const came = await run(
      ({ state }) => {
        void state.set(plugin, 1)
        void state.set(todo, { items: ['milk'], limit: 1 })
        queueMicrotask(gate.resolve)
        return 'returned'
      },
      { plugins: [todo, plugin] },
    )
    expect(came).toEqual({
      outcome: { ok: true, value: 'returned' },
      written: [1, { items: ['milk'], limit: 1 }],
      unhandled: [],
    })
  })

  test.each([
    ['at once', todo, bad, /The state of plugin "todo" does not fit its schema: items/],
    [
      'after a while',
      slow(Promise.resolve()),
      -1,
      /The state of plugin "slow" does not fit its schema: must be above 0/,
    ],
  ] as const)(
    'fails the call when its value does not fit, as the schema says %s',
    async (_when, plugin, value, why) => {
      for (const handler of [
        ({ state }: ToolContext) => void state.set(plugin as typeof todo, value as never),
        async ({ state }: ToolContext) => void state.set(plugin as typeof todo, value as never),
        ({ state }: ToolContext) => void state.update(plugin as typeof todo, () => value as never),
        ({ state }: ToolContext) => {
          void state.set(plugin as typeof todo, value as never)
          return askUser('Really?')
        },
      ]) {
        const { outcome, written, unhandled } = await run(handler, { plugins: [plugin] })
        expect(outcome).toMatchObject({ ok: false, error: { code: 'failed', message: expect.stringMatching(why) } })
        expect({ written, unhandled }).toEqual({ written: [], unhandled: [] })
      }
    },
  )

  const chained: Readonly<Record<string, (write: Promise<void>) => unknown>> = {
    then: (write) => write.then(() => {}),
    finally: (write) => write.finally(() => {}),
    'then and finally': (write) => write.then(() => {}).finally(() => {}),
  }
  test.each(Object.entries(chained))(
    'fails the call when its value does not fit, with %s after it',
    async (_what, chain) => {
      const { outcome, written, unhandled } = await run(({ state }) => void chain(state.set(todo, bad)))
      expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining('does not fit') } })
      expect({ written, unhandled }).toEqual({ written: [], unhandled: [] })
    },
  )

  test('leaves the call alone when something after it takes care of the refusal', async () => {
    const came = await run(
      ({ state }) =>
        void state
          .set(todo, bad)
          .finally(() => {})
          .catch(() => {}),
    )
    expect(came).toEqual({ outcome: { ok: true, value: null }, written: [], unhandled: [] })
  })

  test('is kept together with the write that follows it, and what fails between them fails the call', async () => {
    const list = { items: ['milk'], limit: 1 }
    const kept = await run(({ state }) => void state.set(todo, list).then(() => state.set(todo, { ...list, limit: 2 })))
    expect(kept).toEqual({ outcome: { ok: true, value: null }, written: [list, { ...list, limit: 2 }], unhandled: [] })
    const broken = await run(({ state }) => {
      void state.set(todo, list).then(() => {
        throw new Error('no ink')
      })
    })
    expect(broken).toMatchObject({ outcome: { ok: false, error: { message: 'no ink' } }, written: [], unhandled: [] })
  })

  test('leaves the call alone when the handler took care of the refusal', async () => {
    const came = await run(async ({ state }) => {
      try {
        await state.set(todo, bad)
        return 'kept'
      } catch {
        return 'asked for less'
      }
    })
    expect(came).toEqual({ outcome: { ok: true, value: 'asked for less' }, written: [], unhandled: [] })
  })

  test('is refused after the call is over, and does not end the process', async () => {
    const late = Promise.withResolvers<unknown>()
    const { outcome, unhandled } = await run(({ state }) => {
      const write = (): void => {
        void state.set(todo, { items: ['late'], limit: 1 })
        state.set(todo, { items: ['late'], limit: 1 }).catch(late.resolve)
      }
      setImmediate(write)
      return 'returned'
    })
    expect(outcome).toEqual({ ok: true, value: 'returned' })
    expect(await late.promise).toMatchObject({ message: expect.stringContaining('after it had returned') })
    expect(unhandled).toEqual([])
  })

  test('is refused after the call has failed too', async () => {
    const late = Promise.withResolvers<unknown>()
    await run(({ state }) => {
      setImmediate(() => {
        state.set(todo, { items: ['late'], limit: 1 }).then(() => late.resolve('kept'), late.resolve)
      })
      throw new Error('out of paper')
    })
    expect(await late.promise).toMatchObject({ message: expect.stringContaining('after it had returned') })
  })

  test('of a plugin that prepares is kept, and a value that does not fit says so', async () => {
    const prepared = (value: unknown) =>
      definePlugin({
        id: 'counter',
        state: z.number(),
        prepare: ({ self, state }) => void state.set(self, value as never),
      })
    const { session } = await chat(desk(['done'], { plugins: [prepared(1)] }), 'go')
    expect(changes(session.events)).toEqual([1])
    await expect(chat(desk(['done'], { plugins: [prepared('one')] }), 'go')).rejects.toThrow(
      /The state of plugin "counter" does not fit its schema/,
    )
  })

  test.each([true, false])(
    'in an approval check is refused, awaited or not (%s): a person decides',
    async (awaited) => {
      const checked = tool({
        name: 'write',
        description: 'x',
        input: nothing,
        approval: async ({ state }) => {
          const write = state.set(todo, { items: ['x'], limit: 1 })
          if (awaited) await write
          return { required: false }
        },
        run: () => 'ran',
      })
      const { holds } = await chat(desk([{ calls: [{ name: 'write' }] }], { tools: [checked] }), 'go')
      expect(holds).toMatchObject([
        { reason: 'The approval check failed: "approval" of "write" only reads. Write in "run" instead.' },
      ])
    },
  )
})

test('with maxParallel 1 the calls of one reply run in its order, and each sees the state that those before it left', async () => {
  const add = tool({
    name: 'add',
    description: 'x',
    input: z.object({ item: z.string() }),
    run: async ({ input: { item }, state }) => {
      const { items, limit } = state.get(todo) ?? { items: [], limit: 1 }
      await state.set(todo, { items: [...items, item], limit })
    },
  })
  const list = tool({
    name: 'list',
    description: 'x',
    input: nothing,
    run: ({ state }) => state.get(todo)?.items ?? [],
  })
  const round = ['milk', 'bread'].map((item) => ({ name: 'add', input: { item } }))
  const script = [{ calls: [...round, { name: 'list' }] }, 'done']
  const seen = async (maxParallel: number) => {
    const { steps } = await chat(desk(script, { tools: [add, list], maxParallel }), 'go')
    return steps[0]?.calls[2]?.outcome
  }
  expect(await seen(1)).toEqual({ ok: true, value: ['milk', 'bread'] })
  expect(await seen(8)).toEqual({ ok: true, value: [] })
})
