/** Replies of an autonomous agent's model: it enters spaces, posts, uses tools there, makes plans, or skips. */
import { vendorName, type Json, type ModelPart } from '@holdpoint/core'
import type { Random } from './random.ts'
import type { SimNode } from './node.ts'

/** The simulated tools whose calls are visible in a space. */
const SHOWN = ['note', 'pay', 'form', 'batch', 'batch', 'job', 'order', 'quiz']

export function autonomousReply(random: Random, node: SimNode): ModelPart[] {
  const { autonomous } = node.world
  const usage = { inputTokens: 10, outputTokens: 5 }
  const parts: ModelPart[] = []
  const call = (name: string, input: Json): void => {
    const id = `v${node.world.random.below(100_000)}-${parts.length}`
    parts.push({ type: 'call', id, name: vendorName(name), input: JSON.stringify(input) })
  }
  const what = random.weighted({ skip: 3, talk: 8, silent: 4, plan: 2, wander: 1 })
  if (what === 'skip') call('skip', {})
  if (what === 'talk' || what === 'wander') call('enter_space', { space: random.pick(autonomous.spaces) })
  if (what === 'talk') {
    if (random.chance(0.7)) call('send_message', { text: node.world.spaces.newText() })
    if (random.chance(0.5)) call(random.pick(SHOWN), { n: random.below(50) })
    if (random.chance(0.2)) call('send_message', { text: node.world.spaces.newText() })
    if (random.chance(0.1)) call('skip', {})
  }
  if (what === 'wander') {
    call('read_messages', { limit: 5 })
    call('leave_space', {})
    call('note', { n: 1 }) // a visible tool, used outside of any space
  }
  if (what === 'plan') {
    call('set_plans', { plans: [planRequest(random)] })
    if (random.chance(0.3)) call('delete_plans', { ids: ['p1'] })
  }
  return [...parts, { type: 'finish', reason: parts.length > 0 ? 'calls' : 'stop', usage }]
}

/** Under one of a few ids, so that plans are changed as well as made. */
export function planRequest(random: Random): {
  readonly id: string
  readonly what: string
  readonly missed: 'once' | 'all' | 'none'
  readonly cron?: string
  readonly runAfter?: number
} {
  const plan = {
    id: random.pick(['p1', 'p2']),
    what: 'look',
    missed: random.pick(['once', 'all', 'none', 'none'] as const),
  }
  return random.chance(0.6)
    ? { ...plan, cron: random.pick(['20', '45', '80']) }
    : { ...plan, runAfter: random.between(0, 40_000) }
}
