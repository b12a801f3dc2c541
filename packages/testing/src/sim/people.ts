/**
 * People outside: they send messages and answer holds. Some answer twice, late, wrongly, or at the same moment as another
 * person who disagrees. A request without a reply is retried under the same key.
 */
import { HoldpointError, type Json, type Principal, type Resolution } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import { principalAt } from './may-decide.ts'
import type { CallRecord } from './call-record.ts'
import { GUEST } from './participants-record.ts'
import type { SentMessage } from './message-checks.ts'
import type { SimNode } from './node.ts'
import { request } from './requests.ts'
import type { Process } from './scheduler.ts'
import type { World } from './world.ts'

type Open = Pick<PendingHold, 'callId' | 'accepts' | 'input' | 'nth' | 'kind' | 'approvers'> & {
  readonly conversation: string
}

/** A hold with the answer given to it. */
type Remembered = Open & { readonly said?: Resolution }

export class Person {
  readonly #world: World
  readonly #process: Process
  readonly #name: string
  /** Earlier holds, to be answered too late. */
  readonly #remembered: Remembered[] = []
  /** Messages without a reply so far. */
  readonly #unanswered: { readonly said: SentMessage; readonly by: string | Principal }[] = []

  constructor(world: World, name: string) {
    this.#world = world
    this.#name = name
    this.#process = world.scheduler.process(name)
  }

  async live(actions: number): Promise<void> {
    const { random, faults } = this.#world
    for (let n = 0; n < actions && faults.active; n++) {
      await this.#wait(random.chance(0.3) ? 0 : random.between(100, 6000))
      await this.#act(n)
    }
  }

  #wait(ms: number): Promise<void> {
    return this.#world.scheduler.wait(this.#process, 'thinks', ms)
  }

  #act(nth: number): Promise<unknown> {
    const { random } = this.#world
    const what = random.weighted({
      say: nth === 0 ? 50 : 8,
      answer: 28,
      pending: 2,
      cancel: 2,
      goOn: 2,
      look: 1,
      attend: 5,
      blunder: 2,
      share: 6,
    })
    switch (what) {
      case 'say':
        return this.#say()
      case 'answer':
        return this.#answer()
      case 'pending':
        return this.#pending()
      case 'cancel':
        return this.#ask({
          label: 'cancels',
          ask: (runtime) => runtime.cancel(this.#conversation(), 'I changed my mind.'),
        })
      case 'goOn':
        return this.#goOn()
      case 'look':
        return this.#look()
      case 'attend':
        return this.#attend()
      case 'blunder':
        return this.#sendInvalid()
      case 'share':
        return this.#share()
    }
  }

  async #say(): Promise<void> {
    const { random, messages, faults } = this.#world
    const again = this.#unanswered.length > 0 && faults.strikes('key-again') ? this.#unanswered.shift() : undefined
    const conversation = this.#conversation()
    const said = again?.said ?? messages.say(conversation, random.chance(0.6) ? `key-${random.id()}` : undefined)
    const by = again?.by ?? (random.chance(0.2) ? GUEST : this.#name)
    const options = {
      by,
      agent: said.conversation,
      whileBusy: random.pick(['refuse', 'queue', 'supersede'] as const),
      ...(said.key !== undefined && { key: said.key }),
    }
    const waits = random.chance(0.4)
    const leaves = waits && random.chance(0.1)
    const heard = await this.#ask({
      label: `says ${said.text}`,
      ask: async (runtime, node) => {
        if (!waits) return (await runtime.submit(said.conversation, said.text, options)).ok
        const signal = leaves && { signal: this.#losesInterest(node) }
        const { status } = await runtime.send(said.conversation, said.text, { ...options, ...signal })
        return status !== 'refused'
      },
      begins: () => messages.begins(said),
    })
    if (heard === undefined && said.key !== undefined) this.#unanswered.push({ said, by })
  }

  /** The node learns of the abort, so it is a step of the node. */
  #losesInterest(node: SimNode): AbortSignal {
    const controller = new AbortController()
    void node.wait('caller left', this.#world.random.between(0, 5000)).then(() => controller.abort())
    return controller.signal
  }

  #goOn(): Promise<unknown> {
    const conversation = this.#conversation()
    if (!this.#world.truth.conversations.has(conversation)) return Promise.resolve()
    return this.#ask({ label: 'wants it to go on', ask: (runtime) => runtime.continue(conversation) })
  }

  #look(): Promise<unknown> {
    const conversation = this.#conversation()
    return this.#ask({
      label: 'looks',
      ask: async (runtime) => [await runtime.list(), await runtime.events(conversation, 0, 5)],
    })
  }

  /** Connects as a client for a while, with client tools. */
  #attend(): Promise<unknown> {
    const { random } = this.#world
    const [conversation, stays] = [this.#conversation(), random.between(0, 20_000)]
    const tools = random.pick([['browse'], ['browse', 'render'], ['print']])
    return this.#ask({ label: 'is there', ask: (_runtime, node) => node.attends(conversation, tools, stays) })
  }

  /** Lets the guest into a conversation, or removes it, while it may be writing there. */
  #share(): Promise<unknown> {
    const { random } = this.#world
    const [conversation, change] = [this.#conversation(), random.chance(0.6) ? 'add' : 'remove']
    return this.#ask({
      label: `${change}s the guest`,
      ask: (runtime) => runtime.changeParticipants(conversation, { [change]: [GUEST.id] }),
    })
  }

  /** Sends an invalid message to the wrong agent. The agent of the conversation must not change. */
  #sendInvalid(): Promise<unknown> {
    const { judge } = this.#world
    const [conversation, agent] = [this.#conversation(), this.#conversation()]
    return this.#ask({
      label: `says nothing to ${agent} in ${conversation}`,
      ask: async (runtime) => {
        const error: unknown = await runtime.submit(conversation, '', { agent }).catch((thrown: unknown) => thrown)
        if (HoldpointError.is(error) && error.code === 'config-invalid') return
        judge.require(error instanceof Error, 'nothing-breaks', () => 'an empty message was accepted')
        throw error
      },
    })
  }

  #pending(): Promise<unknown> {
    const { answers } = this.#world
    return this.#ask({
      label: 'asks what is pending',
      ask: async (runtime) => (await runtime.pending({ limit: 1000 })).items,
      begins: (node) => ({ told: answers.pendingBegins(node) }),
    })
  }

  async #answer(): Promise<void> {
    const { random, faults } = this.#world
    const late = this.#remembered.length > 0 && faults.strikes('answered-late')
    const open: Remembered | undefined = late ? this.#remembered.shift() : this.#findOpen()
    if (!open) return this.#say()
    const resolution = open.said && random.chance(0.5) ? open.said : this.#resolution(open)
    if (!late && random.chance(0.6)) this.#remembered.push({ ...open, said: resolution })
    const twice = faults.strikes('answered-twice')
    const other = faults.strikes('answers-differ') ? this.#resolution(open, resolution) : undefined
    const first = this.#give(open, resolution, random.chance(0.15) ? 'another person' : this.#name)
    if (other) await Promise.all([first, this.#give(open, other, random.pick([this.#name, 'another person']))])
    const heard = await first
    // A delegate gives the same answer as the person who delegated to them.
    if (open.approvers > 1 && random.chance(0.5)) await this.#give(open, resolution, 'another person')
    // Some people repeat the same answer.
    const again = open.kind === 'elicitation' && random.chance(0.9)
    if (!twice && !again && heard !== undefined) return
    await this.#wait(again ? random.between(200, 2000) : 0)
    await this.#give(open, resolution, this.#name)
  }

  #findOpen(): Open | undefined {
    const { random, truth, faults } = this.#world
    const open = [...truth.conversations.values()].flatMap(({ id, held }) => held.flatMap((call) => openOf(id, call)))
    if (open.length === 0) return undefined
    const found = random.pick(open)
    return faults.strikes('answered-wrongly') && random.chance(0.3)
      ? { ...found, callId: `unknown-${random.below(9)}` }
      : found
  }

  #resolution({ accepts, input }: Open, unlike?: Resolution): Resolution {
    const { random, faults } = this.#world
    const wrong = faults.strikes('answered-wrongly')
    const kinds = wrong ? (['approve', 'reject', 'answer'] as const) : accepts
    const liked = kinds.filter((kind) => kind !== unlike?.kind)
    const kind =
      random.chance(0.5) && kinds.includes('approve') && unlike?.kind !== 'approve'
        ? 'approve'
        : random.pick(liked.length > 0 ? liked : kinds)
    switch (kind) {
      case 'approve':
        return random.chance(0.25) ? { kind, input: this.#edited(input) } : { kind }
      case 'reject':
        return random.chance(0.5) ? { kind, reason: `no, says ${this.#name}` } : { kind }
      case 'answer':
        return random.chance(0.1) ? { kind, error: 'it did not work' } : { kind, value: `answer ${random.below(1000)}` }
    }
  }

  #edited(input: Json): Json {
    const { random } = this.#world
    return random.pick<Json>([{ n: random.below(50) }, { n: random.below(50) }, input, { n: 'nonsense' }])
  }

  #give(open: Open, resolution: Resolution, by: string): Promise<unknown> {
    const { conversation, callId, nth } = open
    const { random, answers, scheduler } = this.#world
    const hold = random.chance(0.3) ? nth : undefined
    const signed = random.chance(0.9) ? by : undefined
    const principal = signed === undefined ? undefined : principalAt(signed, scheduler.now)
    return this.#ask({
      label: `answers ${callId} with ${resolution.kind}`,
      ask: (runtime) =>
        runtime.resolve(conversation, callId, resolution, {
          ...(principal && { by: principal }),
          ...(hold !== undefined && { hold }),
        }),
      begins: (node) => ({
        told: answers.begins({ conversation, callId, resolution, by: signed, principal, hold }, node),
      }),
    })
  }

  #conversation(): string {
    const { random, agents } = this.#world
    return random.pick(agents).name
  }

  #ask<T>(what: Parameters<typeof request<T>>[3]): Promise<T | undefined> {
    return request<T>(this.#world, this.#process, this.#node(), what)
  }

  #node(): SimNode {
    const { random, nodes } = this.#world
    const up = nodes.filter((node) => node.awake)
    return random.pick(up.length > 0 && random.chance(0.9) ? up : nodes)
  }
}

function openOf(conversation: string, { callId, hold, nth }: CallRecord): Open[] {
  if (!hold) return []
  const { accepts, input, kind, approvers } = hold
  return [{ conversation, callId, accepts, input, nth, kind, approvers }]
}
