/** The types of plugins and services: what a schema says flows through config, state and the container. */
import {
  defineAgent,
  definePlugin,
  service,
  Services,
  toolDefiner,
  type Model,
  type Plugin,
  type StateAccess,
} from '@holdpoint/core'
import { testPorts } from '@holdpoint/testing'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const tool = toolDefiner(undefined)
const named = { name: 'x', description: 'x', input: z.object({ to: z.string() }) }
declare const model: Model
declare const state: StateAccess

const counter = definePlugin({
  id: 'counter',
  config: z.object({ step: z.number().default(1), label: z.string() }),
  state: z.object({ count: z.number() }),
  initial: { count: 0 },
  setup: ({ config, services }) => {
    expectTypeOf(config).toEqualTypeOf<{ step: number; label: string }>()
    expectTypeOf(services).toEqualTypeOf<Services>()
  },
  prepare: ({ config, context, tools }) => {
    expectTypeOf(config).toEqualTypeOf<{ step: number; label: string }>()
    context.push(config.label)
    tools.push(tool({ ...named, run: () => 1 }))
  },
})

test('the state of a plugin, read and written', () => {
  expectTypeOf(state.get(counter)).toEqualTypeOf<{ count: number } | undefined>()
  expectTypeOf(state.get(counter.with({ label: 'x' }))).toEqualTypeOf<{ count: number } | undefined>()
  void state.set(counter, { count: 1 })
  // @ts-expect-error of another type
  void state.set(counter, { count: '1' })
  // @ts-expect-error with something missing
  void state.set(counter, {})
  const wider: { count: number | string } = { count: 1 }
  // @ts-expect-error that may be of another type
  void state.set(counter, wider)
  // @ts-expect-error the first state must fit as well
  definePlugin({ id: 'x', state: z.number(), initial: 'none' })
})

test('the config of a plugin, before its defaults', () => {
  expectTypeOf(counter.with).parameter(0).toEqualTypeOf<{ step?: number | undefined; label: string }>()
  // @ts-expect-error with something missing
  counter.with({ step: 1 })
  // @ts-expect-error of another type
  counter.with({ step: 'one', label: 'x' })
})

test('plugins of different states and configs fit one agent', () => {
  const plain = definePlugin({ id: 'plain' })
  defineAgent(
    {
      name: 'desk',
      model,
      plugins: [counter.with({ label: 'x' }), plain, definePlugin({ id: 'n', state: z.number() })],
    },
    testPorts(),
  )
  expectTypeOf(plain).toExtend<Plugin>()
})

test('a service is what its class or its factory makes', () => {
  class Db {
    readonly url: string = ''
  }
  const services = new Services()
  expectTypeOf(services.get(Db)).toEqualTypeOf<Db>()
  expectTypeOf(services.get(service('limits', () => new Map<string, number>()))).toEqualTypeOf<Map<string, number>>()
  // @ts-expect-error not what the key stands for
  services.set(service<number>('limit'), 'many')
})
