/**
 * Channels in a simulated world: each node runs them beside its runtime, over the same faulty store. Two services show messages to
 * people, fail, and lose their answers; one may be down for ever, and must delay nothing of the other. People press buttons, also
 * people without a mapping, late and together.
 *
 * In the end each person who may decide has a message of each hold that waits, and each message says how its hold ended.
 */
import {
  Channels,
  type Channel,
  type ChannelInbox,
  type HoldMessage,
  type Showing,
} from '../packages/channels/src/index.ts'
import type { Json, Ports, ResolveResult, Runtime, Store } from 'holdpoint'
import type { SimExtension } from '@holdpoint/testing'
import { principalAt } from '../packages/testing/src/sim/may-decide.ts'
import type { SimNode } from '../packages/testing/src/sim/node.ts'
import type { Random } from '../packages/testing/src/sim/random.ts'
import { request } from '../packages/testing/src/sim/requests.ts'
import type { World } from '../packages/testing/src/sim/world.ts'

const PEOPLE = ['ann', 'bob', 'cy']
const SERVICES = ['chat', 'mail']
const URL = 'https://holds.test'

interface Shown {
  readonly id: number
  readonly service: string
  readonly message: HoldMessage
}

interface Press {
  readonly address: string
  readonly message: HoldMessage
  answer: ResolveResult | undefined
}

export class ChannelsOfAWorld implements SimExtension {
  readonly #world: World
  readonly #random: Random
  readonly #running = new Map<SimNode, Channels>()
  /** What each service shows now, by its id of the message. */
  readonly #shown = new Map<number, Shown>()
  readonly #byKey = new Map<string, number>()
  /** The messages that the store knows. */
  readonly #marked = new Set<number>()
  /** A service that never answers. */
  readonly #down: string | undefined
  #press: Press | undefined

  private constructor(world: World) {
    this.#world = world
    this.#random = world.random.fork('channels')
    this.#down = this.#random.chance(0.4) ? this.#random.pick(SERVICES) : undefined
    for (const person of PEOPLE) {
      const addresses = Object.fromEntries(SERVICES.map((name) => [name, `${person}@${name}`]))
      const data = { person, addresses, resolver: true } as unknown as Json
      world.seeTo(world.truth.store.put({ tenant: '', kind: 'channels.person', id: person, data }))
    }
  }

  static in(this: void, world: World): ChannelsOfAWorld {
    return new ChannelsOfAWorld(world)
  }

  opened(node: SimNode, runtime: Runtime, store: Store, ports: Ports): void {
    const { scheduler } = this.#world
    const channels = Channels.open({
      runtime,
      store: this.#noting(store),
      channels: SERVICES.map((name) => this.#service(node, name)),
      url: URL,
      principal: (_tenant, person) => Promise.resolve(principalAt(person, scheduler.now)),
      // Claims of tasks compare the clocks of processes, so here their clocks agree.
      ports: { now: () => scheduler.now, sleep: (ms, signal) => ports.sleep(ms, signal) },
      lookMs: 2000,
      onProblem: (error) => this.#world.trace.add(`  ? ${node.name} channels ${String(error)}`),
    })
    this.#running.set(node, channels)
  }

  async closing(node: SimNode): Promise<void> {
    await this.#running.get(node)?.close()
    this.#running.delete(node)
  }

  missing(): string | undefined {
    const { truth, scheduler } = this.#world
    for (const { id, service, message } of this.#shown.values()) {
      // Of a message that was shown twice, only the second one is known.
      if (!this.#marked.has(id) || service === this.#down) continue
      const call = truth.conversations.get(message.conversationId)?.calls.get(message.callId)
      const open = call?.waits === true && call.nth === message.hold
      if (open !== (message.end === undefined))
        return `${service}: ${message.person} reads that ${message.callId} ${message.end ? 'is over' : 'is open'}`
    }
    const up = SERVICES.filter((name) => name !== this.#down)
    for (const { id, held } of truth.conversations.values()) {
      for (const { callId, nth, hold } of held) {
        // Who may decide it changes with time: the person who was asked first may have lost the right.
        if (hold?.kind !== 'approval' || hold.to || hold.notRequester || hold.approvers > 1) continue
        if (hold.expiresAt <= scheduler.now) continue
        for (const person of PEOPLE)
          for (const service of up) {
            const told = [...this.#shown.values()].some(
              ({ service: on, message }) =>
                on === service && message.person === person && message.callId === callId && message.hold === nth,
            )
            if (!told) return `${service}: ${person} has no message of ${callId} of ${id}`
          }
      }
    }
    return undefined
  }

  /** A message whose service answered, and whose copy is written, can be found again. Another one is shown a second time. */
  #noting(store: Store): Store {
    return {
      ...store,
      put: async (put) => {
        const answer = await store.put(put)
        const { ref } = (put.data ?? {}) as { readonly ref?: number }
        if (put.kind === 'channels.copy' && answer.result === 'ok' && ref !== undefined) this.#marked.add(ref)
        return answer
      },
    }
  }

  #service(node: SimNode, name: string): Channel {
    return {
      name,
      show: (showing) => this.#show(node, name, showing),
      receive: async (_request, inbox) => this.#receive(inbox),
    }
  }

  async #show(node: SimNode, service: string, { message, address, ref, key }: Showing): Promise<Json> {
    const { faults } = this.#world
    const random = this.#random
    await node.wait(`${service} shows`, random.between(0, 400))
    if (service === this.#down || (faults.active && random.chance(0.15))) throw new Error(`${service} is down`)
    const id = (ref as number | undefined) ?? this.#byKey.get(key) ?? this.#shown.size + 1
    this.#byKey.set(key, id)
    this.#shown.set(id, { id, service, message })
    if (faults.active && !message.end && random.chance(0.3)) this.#soon(service, address, message)
    await node.wait(`${service} answers`, random.between(0, 400))
    if (faults.active && random.chance(0.15)) throw new Error(`${service} does not answer`)
    return id
  }

  /** A person presses a button of this message after a while, or a person without a mapping does. */
  #soon(service: string, address: string, message: HoldMessage): void {
    const { scheduler } = this.#world
    const random = this.#random
    const stranger = random.chance(0.2)
    const presser = scheduler.process('a person at a channel')
    scheduler.add(presser, 'presses', random.between(0, 8000), () => {
      const up = this.#world.nodes.filter((node) => node.awake && this.#running.has(node))
      if (up.length > 0) void this.#presses(random.pick(up), service, stranger ? 'someone else' : address, message)
    })
  }

  async #presses(to: SimNode, service: string, address: string, message: HoldMessage): Promise<void> {
    const { answers, judge, scheduler } = this.#world
    const { conversationId: conversation, callId, hold, person } = message
    const stranger = address === 'someone else'
    const press: Press = { address, message, answer: undefined }
    await request<ResolveResult | undefined>(this.#world, scheduler.process('a person at a channel'), to, {
      label: `presses ${callId} on ${service}`,
      ask: async (_runtime, node) => {
        // `receive` is called before anything is awaited.
        this.#press = press
        await this.#running.get(node)?.answer(new Request(`${URL}/channels/${service}`, { method: 'POST' }))
        return press.answer
      },
      begins: (node) => {
        const given = { conversation, callId, resolution: { kind: 'approve' as const }, by: person, hold }
        const principal = principalAt(person, scheduler.now)
        const told = answers.begins({ ...given, principal }, node)
        return {
          told: (answer) => {
            if (!answer) return
            if (!stranger) return told(answer)
            const refused = answer.verdict === 'not-allowed'
            judge.require(refused, 'only-who-may', () => `a person without a mapping: ${answer.verdict} for ${callId}`)
          },
        }
      },
    })
  }

  async #receive(inbox: ChannelInbox): Promise<Response> {
    const press = this.#press
    if (press) {
      const { conversationId, callId, hold } = press.message
      const decision = { tenant: '', conversationId, callId, hold, resolution: { kind: 'approve' as const } }
      press.answer = await inbox.decide(press.address, decision)
    }
    return new Response('')
  }
}
