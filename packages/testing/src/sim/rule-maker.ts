/** Saves rules while calls wait, some with few uses or a short life, and revokes them. */
import type { RuleText } from '@holdpoint/core'
import type { Random } from './random.ts'
import { request } from './requests.ts'
import type { Process } from './scheduler.ts'
import { simTools } from './tools.ts'
import type { World } from './world.ts'

export class RuleMaker {
  readonly #world: World
  readonly #process: Process
  readonly #random: Random

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
    this.#process = world.scheduler.process('rule maker')
  }

  async live(): Promise<void> {
    const { faults, scheduler, ruleChecks } = this.#world
    const random = this.#random
    for (let n = random.between(10, 24); n > 0 && faults.active; n--) {
      await scheduler.wait(this.#process, 'thinks', random.between(0, 2500))
      const { ids, waitedFor } = ruleChecks
      if (waitedFor !== undefined && random.chance(0.8)) await this.#revoke(waitedFor)
      else if (ids.length > 2 && random.chance(0.45)) await this.#revoke(random.pick(ids))
      else await this.#save(this.#rule())
    }
  }

  /** `mail` lets rules relax its gate, `pay` does not, and `note` has none. */
  #rule(): RuleText {
    const random = this.#random
    const tool = random.weighted({ mail: 8, pay: 1, note: 2 })
    const { fingerprint } = simTools(random.chance(0.8) ? 1 : 2).find(({ name }) => name === tool)!
    const from = random.chance(0.5) ? 0 : random.below(40)
    const base = { tool, fingerprint, when: [{ at: '/n', range: { min: from, max: from + random.between(5, 50) } }] }
    if (tool === 'note' || (tool === 'mail' && random.chance(0.15))) return { ...base, effect: 'deny' }
    return {
      ...base,
      effect: 'allow',
      ...(random.chance(0.6) && { uses: random.between(1, 2) }),
      ...(random.chance(0.3) && { expiresAt: this.#world.scheduler.now + random.between(3000, 30_000) }),
    }
  }

  #save(rule: RuleText): Promise<unknown> {
    return this.#ask('saves a rule', (rules) =>
      // A request that arrives late may be about a rule that has expired by then.
      rules.save(rule, { by: 'ruth' }),
    )
  }

  #revoke(id: string): Promise<unknown> {
    return this.#ask(`revokes ${id}`, (rules) => rules.revoke(id, { by: 'ruth' }))
  }

  #ask(label: string, ask: (rules: Rules) => Promise<unknown>): Promise<unknown> {
    const node = this.#random.pick(this.#world.nodes)
    return request(this.#world, this.#process, node, { label, ask: (runtime) => ask(runtime.rules) })
  }
}

type Rules = NonNullable<World['nodes'][number]['runtime']>['rules']
