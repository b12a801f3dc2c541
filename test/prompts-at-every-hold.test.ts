import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderPrompt } from '@holdpoint/core'
import { proves } from '@holdpoint/testing'
import { Walk } from './kit/walk.ts'
import { acceptedByAi, acceptedByServers } from '../packages/models/test/oracle.ts'

test(
  proves(
    'prompt.every-call-has-result',
    'whatever happened to a conversation, what we would send now is accepted by the AI SDK and by servers: at every hold, and at every other event',
  ),
  async () => {
    const met = { holds: 0, prompts: 0 }
    const choices = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 200, size: 'max' })
    await fc.assert(
      fc.asyncProperty(choices, async (numbers) => {
        const walk = new Walk(numbers)
        let seen = 0
        while (!walk.over) {
          await walk.step()
          if (walk.log.length === seen) continue
          seen = walk.log.length
          const prompt = renderPrompt(['You are a desk.'], walk.log)
          if (!prompt.some((message) => message.role === 'user')) continue
          await acceptedByAi(prompt)
          // A reply ends an idle turn; the next model call then has a message to add.
          acceptedByServers([...prompt, { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] }])
          met.prompts++
          if (walk.state.turn.phase === 'calls') met.holds++
        }
      }),
      { numRuns: 120, seed: 4 },
    )
    expect(met.prompts).toBeGreaterThan(500)
    expect(met.holds).toBeGreaterThan(200)
  },
  240_000,
)
