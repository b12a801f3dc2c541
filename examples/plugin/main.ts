import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, definePlugin, service, Services, Session, tool } from 'holdpoint'
import { z } from 'zod'

// #region service
interface Shop {
  price(item: string): number
}
const Shop = service<Shop>('shop', () => ({ price: (item) => item.length * 10 }))
// #endregion

// #region plugin
const cart = definePlugin({
  id: 'cart',
  config: z.object({ limit: z.number().default(5) }),
  state: z.object({ items: z.array(z.string()) }),
  initial: { items: [] },
  // Tools that are always available. A function, because they use the plugin's state.
  tools: (self) => [
    tool({
      name: 'cart.add',
      description: 'Put something into the cart',
      input: z.object({ item: z.string() }),
      run: async ({ input, state }) => {
        // Written with the outcome of this call; two parallel calls both count.
        await state.update(self, (cart) => ({ items: [...(cart?.items ?? []), input.item] }))
        return state.get(self)
      },
    }),
  ],
  prepare: ({ self, config, state, tools, context }) => {
    const length = state.get(self)?.items.length ?? 0
    context.push(`The cart holds ${length} of ${config.limit} things.`)
    if (length > 0) tools.push(pay) // available only when the basket is not empty
  },
})
const pay = tool({
  name: 'cart.pay',
  description: 'Pay for the cart',
  input: z.object({}),
  run: ({ state, services }) => ({
    prices: state.get(cart)?.items.map((item) => services.get(Shop).price(item)) ?? [],
  }),
})
// #endregion

// #region use
const model = scriptedModel([
  { calls: [{ name: 'cart.add', input: { item: 'tea' } }] },
  'Tea is in the cart.',
  { calls: [{ name: 'cart.pay' }] },
  'Paid.',
])
const services = new Services().set(Shop, { price: () => 3 }) // a test, or an application, replaces it
const shop = agent({ name: 'shop', model, plugins: [cart.with({ limit: 2 })], services })

const { session } = await chat(shop, 'Tea, please')
const later = await Session.open(shop, { data: JSON.parse(JSON.stringify(session)) }) // the state is in the log
const paid = await later.send('That is all')
console.log(JSON.stringify(paid.steps[0]?.calls[0]?.outcome), paid.text)
for (const { tools, prompt } of model.requests) {
  const [system] = prompt
  console.log(system?.role === 'system' ? system.text : '', tools.map(({ name }) => name).join(', '))
}
// #endregion
assert.deepEqual(paid.steps[0]?.calls[0]?.outcome, { ok: true, value: { prices: [3] } })
assert.deepEqual(later.state.plugins, { cart: { items: ['tea'] } })
