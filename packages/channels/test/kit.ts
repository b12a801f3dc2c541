/** A desk with a payment tool, people with channels, and phones that show what a channel sent them. */
import { Channels, type Channel, type ChannelPerson, type ChannelsOptions, type HoldMessage } from '@holdpoint/channels'
import { isObject, type Put, type PutResult } from '@holdpoint/core'
import { testPorts } from '@holdpoint/testing'
import type { Principal, Store } from 'holdpoint'
import { expect, onTestFinished } from 'vitest'
import { calls, noting, World, type Process, type Setup } from '../../../test/kit/runtime-kit.ts'
import { ChannelPeople } from '../src/channel-people.ts'
import type { Place } from '../../../test/kit/runtime-kit.ts'

export const pay = (more: object = {}) =>
  noting([], 'pay', { approval: { required: true, reason: 'It is money.', ...more } })

/** Messages by phone, in the order in which they were first sent. Each has all its versions. */
export class Phones implements Channel {
  readonly name: string
  readonly sent: { readonly address: string; readonly versions: HoldMessage[] }[] = []
  /** Called before a message is shown. */
  before: (message: HoldMessage, signal: AbortSignal) => void | Promise<void> = () => {}
  /** Called after a message was shown, before the sender learns of it. */
  after: () => void | Promise<void> = () => {}

  constructor(name = 'phone') {
    this.name = name
  }

  async show({ message, address, ref, signal }: Parameters<Channel['show']>[0]): Promise<number> {
    await this.before(message, signal)
    const at = typeof ref === 'number' ? ref : this.sent.push({ address, versions: [] }) - 1
    this.sent[at]!.versions.push(message)
    await this.after()
    return at
  }

  /** The newest version of each message to an address. */
  to(address: string): readonly HoldMessage[] {
    return this.sent.filter((each) => each.address === address).map(({ versions }) => versions.at(-1)!)
  }
}

/** A store that a process uses until it is killed: then no promise resolves and nothing is written any more. */
export function mortal(store: Store): { readonly store: Store; kill(): void } {
  let dead = false
  const proxy = new Proxy(store, {
    get: (target, name) => {
      const act: unknown = Reflect.get(target, name)
      if (typeof act !== 'function') return act
      if (name === 'listen')
        return (changed: Parameters<Store['listen']>[0]) => target.listen((...args) => void (dead || changed(...args)))
      return async (...args: unknown[]) => {
        const never = new Promise(() => {})
        if (dead) return never
        const result: unknown = await act.apply(target, args)
        return dead ? never : result
      }
    },
  })
  return { store: proxy, kill: () => void (dead = true) }
}

/** A store that says what is under way and needs real time: requests to it, and the posts of webhooks. */
function observed(store: Store): { readonly store: Store; readonly isBusy: () => boolean } {
  let asking = 0
  const posting = new Set<string>()
  // A webhook is posted between the write of its claim and the next write of its task.
  const note = ({ kind, id, data }: Put): void => {
    if (kind !== 'channels.task' || !id.startsWith('webhook/')) return
    if (isObject(data) && Number(data['claimedUntil']) > 0) posting.add(id)
    else posting.delete(id)
  }
  const proxy = new Proxy(store, {
    get: (target, name) => {
      const act: unknown = Reflect.get(target, name)
      if (typeof act !== 'function' || name === 'listen') return act
      return async (...args: unknown[]) => {
        asking++
        try {
          const answer: unknown = await act.apply(target, args)
          if (name === 'put' && (answer as PutResult).result === 'ok') note(args[0] as Put)
          return answer
        } finally {
          asking--
        }
      }
    },
  })
  return { store: proxy, isBusy: () => asking > 0 || posting.size > 0 }
}

export interface Desk {
  readonly world: World
  readonly desk: Process
  readonly phones: Phones
  readonly problems: unknown[]
  /** Starts a process that runs the channels. */
  channels(more?: Partial<ChannelsOptions>): Promise<Channels>
  /** Moves the clock until the condition is true, for at most 500 s. The clock stands while real work is under way. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>
}

const ADA: ChannelPerson = { person: 'ada', addresses: { phone: '+ada' }, resolver: true }

export async function openDesk({
  place,
  people = [ADA],
  groups = {},
  ...setup
}: Setup & {
  place?: Place
  people?: readonly ChannelPerson[]
  groups?: Readonly<Record<string, readonly string[]>>
} = {}): Promise<Desk> {
  const world = new World(place)
  const desk = await world.process('desk', { news: true, says: [calls('pay'), 'Paid.'], tools: [pay()], ...setup })
  const { store, isBusy } = observed(await world.store)
  const pass = world.pass.bind(world)
  // A busy machine needs long for a disk and a socket, and the time limits of the work must not pass meanwhile.
  world.pass = async (ms) => {
    for (let left = ms; left > 0; left -= 250) {
      await pass(Math.min(left, 250))
      while (isBusy()) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const phones = new Phones()
  const problems: unknown[] = []
  const principal = async (_tenant: string, id: string): Promise<Principal> => ({
    id,
    kind: 'person',
    ...(groups[id] && { groups: groups[id] }),
  })
  for (const row of people) await new ChannelPeople(store).put('', row)
  const open = async (more: Partial<ChannelsOptions> = {}): Promise<Channels> => {
    const channels = Channels.open({
      runtime: desk.runtime,
      store,
      channels: [phones],
      url: 'https://holds.acme.test',
      principal,
      ports: testPorts({ clock: world.clock, prefix: 'channels' }),
      onProblem: (error) => problems.push(error),
      ...more,
    })
    // A process that is killed never ends its work.
    if (!more.store) onTestFinished(() => channels.close())
    return channels
  }
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    for (let steps = 0; steps < 2000; steps++) {
      if (await condition()) return
      await world.pass(250)
    }
    expect.fail(`This never came true: ${condition.toString()}`)
  }
  return { world, desk, phones, problems, channels: open, until }
}
