import { expect, test } from 'vitest'
import { agent, chat, definePlugin, tool } from 'holdpoint'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { z } from 'zod'

test("a plugin's own tools read and write its state, typed, without naming its type", async () => {
  const cart = definePlugin({
    id: 'cart',
    state: z.array(z.string()),
    initial: [],
    tools: (self) => [
      tool({
        name: 'cart.add',
        description: 'Add an item',
        input: z.object({ item: z.string() }),
        run: async ({ input, state }) => {
          const items = [...(state.get(self) ?? []), input.item]
          await state.set(self, items)
          return items.length
        },
      }),
    ],
  })
  const add = (item: string) => ({ calls: [{ name: 'cart.add', input: { item } }] })
  const shop = agent({
    name: 'shop',
    model: scriptedModel([add('tea'), add('milk'), 'Done.']),
    plugins: [cart],
    ports: testPorts(),
  })
  const { session, steps } = await chat(shop, 'tea and milk')
  expect(session.state.plugins).toEqual({ cart: ['tea', 'milk'] })
  expect(steps.map((each) => each.calls[0]?.outcome)).toEqual([
    { ok: true, value: 1 },
    { ok: true, value: 2 },
    undefined,
  ])
})

test('two calls of one round that update the same state both count', async () => {
  const cart = definePlugin({
    id: 'cart',
    state: z.array(z.string()),
    initial: [],
    tools: (self) => [
      tool({
        name: 'cart.add',
        description: 'Add an item',
        input: z.object({ item: z.string() }),
        run: async ({ input, state }) => {
          await state.update(self, (items = []) => [...items, input.item])
          return state.get(self)?.length
        },
      }),
    ],
  })
  const calls = ['tea', 'milk'].map((item) => ({ name: 'cart.add', input: { item } }))
  const shop = agent({ name: 'shop', model: scriptedModel([{ calls }, 'Done.']), plugins: [cart], ports: testPorts() })
  const { session } = await chat(shop, 'tea and milk')
  expect(session.state.plugins).toEqual({ cart: ['tea', 'milk'] })
})
