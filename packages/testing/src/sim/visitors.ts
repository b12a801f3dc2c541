/** People in spaces: they post, join and leave, add others, send triggers to agents, and make plans for them. */
import type { Member, PlanMade } from '@holdpoint/core'
import type { Posted, SpaceCommandResult } from '@holdpoint/spaces'
import { planRequest } from './autonomous-replies.ts'
import type { SimNode } from './node.ts'
import { request } from './requests.ts'
import type { Process } from './scheduler.ts'
import type { Post } from './space-checks.ts'
import { planOf } from './author-checks.ts'
import type { World } from './world.ts'

export class Visitor {
  readonly #world: World
  readonly #process: Process
  readonly #self: Member
  /** Posts without a reply so far. */
  readonly #unanswered: Post[] = []
  readonly #triggered: string[] = []

  constructor(world: World, name: string) {
    this.#world = world
    this.#self = { kind: 'human', id: name }
    this.#process = world.scheduler.process(name)
  }

  async live(actions: number): Promise<void> {
    const { random, faults, autonomous } = this.#world
    for (const space of autonomous.spaces) await this.#open(space)
    for (let n = 0; n < actions && faults.active; n++) {
      await this.#world.scheduler.wait(this.#process, 'thinks', random.chance(0.3) ? 0 : random.between(100, 6000))
      await this.#act()
    }
  }

  #act(): Promise<unknown> {
    const what = this.#world.random.weighted({ post: 9, trigger: 3, plan: 8, join: 2, leave: 2, read: 1, look: 1 })
    switch (what) {
      case 'post':
        return this.#post()
      case 'trigger':
        return this.#trigger()
      case 'plan':
        return this.#plan()
      case 'join':
        return this.#join()
      case 'leave':
        return this.#leave(this.#space(), this.#world.random.chance(0.3) ? this.#self : agentMember(this.#agent()))
      case 'read':
        return this.#read()
      case 'look':
        return this.#look()
    }
  }

  /** Another visitor may have created it before. */
  #open(id: string): Promise<SpaceCommandResult | undefined> {
    const { random, autonomous, visitors } = this.#world
    const agents = autonomous.agents.filter(() => random.chance(0.8))
    const members = [
      ...visitors.map((visitor) => ({ member: visitor.#self, role: 'owner' as const })),
      ...agents.map((agent) => ({ member: agentMember(agent) })),
    ]
    const { agentMessages } = autonomous
    return this.#ask<SpaceCommandResult>({
      label: `opens ${id}`,
      ask: (runtime) => runtime.spaces.create({ id, name: id, agentMessages, by: this.#self, members }),
    })
  }

  async #post(): Promise<void> {
    const { spaces, faults, random } = this.#world
    const again = this.#unanswered.length > 0 && faults.strikes('key-again') ? this.#unanswered.shift() : undefined
    const post = again ?? spaces.post(this.#space(), this.#self)
    const heard = await this.#say(post)
    if (heard === undefined && random.chance(0.6)) return void this.#unanswered.push(post)
    if (heard !== undefined && random.chance(0.9)) return
    // The answer must be correct for a visitor that has left, too.
    await this.#leave(post.space, this.#self)
    await this.#say(post)
  }

  #say(post: Post): Promise<Posted | undefined> {
    const { spaces } = this.#world
    return this.#ask<Posted>({
      label: `posts ${post.text}`,
      ask: (runtime) => runtime.spaces.post(post.space, post.text, { from: this.#self, key: post.text }),
      begins: () => spaces.begins(post),
    })
  }

  #trigger(): Promise<unknown> {
    const { random, faults, spaces } = this.#world
    const again = this.#triggered.length > 0 && faults.strikes('triggered-again')
    const id = again ? random.pick(this.#triggered) : spaces.trigger(this.#agent())
    this.#triggered.push(id)
    const [agent = ''] = id.split(' ')
    return this.#ask({ label: `triggers ${id}`, ask: (runtime) => runtime.agents.trigger(agent, { id, name: 'it' }) })
  }

  #plan(): Promise<unknown> {
    const { random } = this.#world
    const agent = this.#agent()
    const by = this.#self.id
    const plan = { ...planRequest(random), what: planOf(by) }
    return this.#ask<PlanMade | boolean>({
      label: `plans ${plan.id} for ${agent}`,
      ask: (runtime) =>
        random.chance(0.8) ? runtime.agents.setPlan(agent, plan, { by }) : runtime.agents.removePlan(agent, plan.id),
    })
  }

  #join(): Promise<unknown> {
    const [space, agent, by] = [this.#space(), this.#agent(), this.#self]
    const back = this.#world.random.chance(0.4)
    return this.#ask<SpaceCommandResult>({
      label: back ? `comes back to ${space}` : `brings ${agent} into ${space}`,
      ask: (runtime) =>
        back
          ? runtime.spaces.join(space, by, { role: 'owner' })
          : runtime.spaces.join(space, agentMember(agent), { by }),
    })
  }

  #leave(space: string, who: Member): Promise<unknown> {
    this.#world.faults.happened('sent-away')
    return this.#ask<SpaceCommandResult>({
      label: `sends ${who.id} away from ${space}`,
      ask: (runtime) => runtime.spaces.leave(space, who, { by: this.#self }),
    })
  }

  #read(): Promise<unknown> {
    const space = this.#space()
    const seq = this.#world.truth.conversations.get(space)?.events.length ?? 1
    return this.#ask<SpaceCommandResult>({
      label: `reads ${space}`,
      ask: (runtime) => runtime.spaces.read(space, this.#self, seq),
    })
  }

  #look(): Promise<unknown> {
    const [space, agent] = [this.#space(), this.#agent()]
    return this.#ask({
      label: `looks at ${space} and ${agent}`,
      ask: async (runtime) => [
        await runtime.spaces.view(space, { limit: 3 }),
        await runtime.agents.view(agent),
        await runtime.spaces.list({ member: this.#self }),
      ],
    })
  }

  #space(): string {
    return this.#world.random.pick(this.#world.autonomous.spaces)
  }

  #agent(): string {
    return this.#world.random.pick(this.#world.autonomous.agents)
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

function agentMember(id: string): Member {
  return { kind: 'agent', id }
}
