/**
 * A model with valid and invalid replies. A reply depends on the prompt and the random stream, so the same prompt may get another
 * reply, as with real models.
 */
import { ModelError, vendorName, type Model, type ModelPart, type ModelRequest } from '@holdpoint/core'
import { autonomousReply } from './autonomous-replies.ts'
import type { SimNode } from './node.ts'
import { hashText, Random } from './random.ts'

/** Tools with more ways to fail are called more often. */
const TOOLS =
  `note note log.write pay pay wire wire mail mail ship once once quiz interview interview interview watch stop form sign browse render job batch
  batch order hand remind remind`.split(/\s+/)

/** Where rules are consulted, the tools that they are about are called most. */
const TOOLS_WITH_RULES = [...TOOLS, ...Array.from({ length: TOOLS.length }, (_, n) => (n % 4 === 0 ? 'note' : 'mail'))]

export function simModel(node: SimNode): Model {
  const { faults } = node.world
  return {
    id: 'simulated',
    async *stream(request) {
      const { conversation, key } = node.world.models.asked(request, node)
      // Some replies arrive completely before any other task runs.
      const atOnce = node.world.random.chance(0.5)
      if (!atOnce) await node.wait('model thinks', node.world.random.between(0, 1200))
      if (faults.strikes('model-failed')) {
        node.world.models.failed(key)
        throw new ModelError('the vendor is busy', { retryable: node.world.random.chance(0.7), status: 529 })
      }
      const parts = partsOf(request, node, conversation)
      for (const [index, part] of parts.entries()) {
        if (index > 0 && faults.strikes('model-cut')) {
          if (node.world.random.chance(0.5)) return
          node.world.models.failed(key) // without content so far, the model is called again
          throw new ModelError('the stream broke', { retryable: true })
        }
        yield part
        if (!atOnce && node.world.random.chance(0.3)) await node.wait('model writes', node.world.random.between(0, 300))
      }
    },
  }
}

function partsOf(request: ModelRequest, node: SimNode, conversation: string): ModelPart[] {
  if (!conversation.startsWith('agent:')) return reply(request, node, conversation)
  // An autonomous agent never runs out of messages: its replies do not depend on earlier ones.
  return autonomousReply(new Random(node.world.random.below(1_000_000_000)), node)
}

function reply({ prompt }: ModelRequest, node: SimNode, conversation: string): ModelPart[] {
  const rounds = prompt.length
  const again = node.world.random.chance(0.3) ? node.world.random.below(1000) : 0
  const random = new Random(hashText(`${conversation} ${rounds} ${again}`, node.world.seed))
  const calls = random.chance(rounds < 14 ? 0.68 : 0.2) ? random.pick([1, 1, 1, 2, 2, 3]) : 0
  const usage = { inputTokens: 10 * rounds, outputTokens: 5 }
  const parts: ModelPart[] = []
  // A reply may be empty, which is rare.
  if (!random.chance(0.08)) parts.push({ type: 'text', id: 't', delta: `Said ${random.below(1000)}. ` })
  for (let n = 0; n < calls; n++) parts.push(...call(random, node, n))
  if (node.world.faults.strikes('model-nonsense')) parts.push({ type: 'nonsense' } as unknown as ModelPart)
  return [...parts, { type: 'finish', reason: calls > 0 ? 'calls' : 'stop', usage }]
}

function call(random: Random, node: SimNode, n: number): ModelPart[] {
  const wrong = node.world.faults.strikes('model-nonsense') ? random.below(4) : -1
  const name = wrong === 0 ? 'no_such_tool' : vendorName(random.pick(node.world.hasRules ? TOOLS_WITH_RULES : TOOLS))
  const input = wrong === 1 ? '{"n": ' : wrong === 2 ? '{"n": "many"}' : JSON.stringify({ n: random.below(50) })
  const id = wrong === 3 ? 'always-the-same' : `v${random.below(10_000)}-${n}`
  const whole = { type: 'call', id, name, input } as const
  return random.chance(0.3) ? [{ type: 'call-input', id, name, delta: input }, whole] : [whole]
}
