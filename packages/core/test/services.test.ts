/** The small lazy container: made on first use, made once, replaced in tests. */
import {
  defineAgent,
  definePlugin,
  HoldpointError,
  service,
  Services,
  toolDefiner,
  type ServiceKey,
} from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

function failure(get: () => unknown): HoldpointError {
  try {
    get()
  } catch (error) {
    if (HoldpointError.is(error)) return error
    throw error
  }
  throw new Error('It did not fail.')
}

describe('a service', () => {
  test('is made when it is first asked for, and once', () => {
    let made = 0
    const Clock = service('clock', () => ({ nth: ++made }))
    const services = new Services()
    expect(made).toBe(0)
    expect(services.get(Clock)).toBe(services.get(Clock))
    expect(made).toBe(1)
  })

  test('is made once although it is nothing', () => {
    let made = 0
    const Nothing = service('nothing', () => void made++)
    const services = new Services()
    services.get(Nothing)
    services.get(Nothing)
    expect(made).toBe(1)
  })

  test('may be a class, which is given the container to ask for what it needs', () => {
    class Db {
      readonly url = 'db://'
    }
    class Users {
      readonly db: Db
      constructor(services: Services) {
        this.db = services.get(Db)
      }
    }
    const services = new Services()
    expect(services.get(Users).db).toBe(services.get(Db))
  })

  test('is a new instance in each container', () => {
    const Clock = service('clock', () => ({}))
    expect(new Services().get(Clock)).not.toBe(new Services().get(Clock))
  })

  test('is tried again after its factory failed', () => {
    let attempts = 0
    const Db = service('db', () => {
      if (++attempts === 1) throw new Error('not yet up')
      return 'up'
    })
    const services = new Services()
    expect(() => services.get(Db)).toThrow('not yet up')
    expect(services.get(Db)).toBe('up')
  })

  test('that is not provided is named, with what to do', () => {
    expect(failure(() => new Services().get(service('db')))).toMatchObject({
      code: 'service-missing',
      message: 'There is no service "db". Call services.set(db, …) before the first use, or give its key a factory.',
    })
  })

  test('that needs itself is told the whole circle', () => {
    const A: ServiceKey<number> = service('a', (services): number => services.get(B))
    const B: ServiceKey<number> = service('b', (services): number => services.get(C))
    const C: ServiceKey<number> = service('c', (services): number => services.get(A))
    expect(failure(() => new Services().get(A))).toMatchObject({
      code: 'service-missing',
      message: expect.stringContaining('Service "a" needs itself: a → b → c → a. Break the cycle'),
    })
  })

  test('may share its name with another that it needs', () => {
    const inner = service('cache', () => 'inner')
    const outer = service('cache', (services) => `outer of ${services.get(inner)}`)
    expect(new Services().get(outer)).toBe('outer of inner')
  })

  test('can still be made after a circle was met', () => {
    const services = new Services()
    const A: ServiceKey<number> = service('a', (given): number => given.get(A))
    failure(() => services.get(A))
    expect(services.set(A, 5).get(A)).toBe(5)
  })
})

describe('in an agent', () => {
  class Mail {
    readonly sent: string[] = []
    send(to: string): string {
      this.sent.push(to)
      return `sent to ${to}`
    }
  }
  const send = toolDefiner(undefined)({
    name: 'mail.send',
    description: 'Send',
    input: z.object({ to: z.string() }),
    run: ({ input, services }) => services.get(Mail).send(input.to),
  })
  const script = () => scriptedModel([{ calls: [{ name: 'mail.send', input: { to: 'ada' } }] }, 'done'])

  test('tools, setup and prepare are given the same container', async () => {
    const seen: Mail[] = []
    const plugin = definePlugin({
      id: 'mail',
      setup: ({ services }) => void seen.push(services.get(Mail)),
      prepare: ({ services }) => void seen.push(services.get(Mail)),
    })
    const desk = defineAgent({ name: 'desk', model: script(), tools: [send], plugins: [plugin] }, testPorts())
    await chat(desk, 'go')
    expect(desk.services.get(Mail).sent).toEqual(['ada'])
    expect(new Set(seen)).toEqual(new Set([desk.services.get(Mail)]))
  })

  test('a test puts its own in the place of the real one', async () => {
    const fake = { sent: [], send: () => 'not really' }
    const services = new Services().set(Mail, fake)
    const { steps } = await chat(
      defineAgent({ name: 'desk', model: script(), tools: [send], services }, testPorts()),
      'go',
    )
    expect(steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: 'not really' })
  })
})
