/**
 * The agent of the crash programs. Each run of a tool appends a line to a file, which no crash undoes. The model decides only
 * by its prompt, so a killed turn continues in the same way.
 */
import { appendFileSync } from 'node:fs'
import { agent, tool, type Agent, type Model, type ModelPart } from 'holdpoint'
import { z } from 'zod'

const input = z.object({ order: z.string() })
const words = { description: 'Part of an order.', input }

/** One line of the file: a tool ran. */
export interface Effect {
  readonly tool: string
  readonly callId: string
  readonly attempt: number
}

/** Called right before and right after a tool writes its line, so that a test can pause it there. */
export type Pause = (place: `${string}:before` | `${string}:after`) => Promise<void>

export function desk(effectsFile: string, pause: Pause = async () => {}): Agent {
  const act =
    (name: string) => async (context: { readonly call: { readonly id: string; readonly attempt: number } }) => {
      await nap(2)
      await pause(`${name}:before`)
      const effect: Effect = { tool: name, callId: context.call.id, attempt: context.call.attempt }
      appendFileSync(effectsFile, `${JSON.stringify(effect)}\n`)
      await pause(`${name}:after`)
      await nap(2)
      return { done: true }
    }
  return agent({
    name: 'desk',
    model: clerk,
    context: { window: { messages: 20 } },
    whileBusy: 'queue',
    tools: [
      tool({ name: 'note', ...words, onLost: 'retry', run: act('note') }),
      tool({ name: 'charge', ...words, approval: () => ({ required: false }), onLost: 'fail', run: act('charge') }),
      tool({ name: 'email', ...words, approval: { required: true, approvers: 2 }, onLost: 'fail', run: act('email') }),
      tool({ name: 'ship', ...words, executor: 'external', timeout: '1 hour' }),
      tool({ name: 'survey', ...words, executor: 'external', timeout: '1 hour', async: true }),
    ],
  })
}

/**
 * `order …` takes three steps: calls that run at once, calls that wait for people and workers, and a text. `quick order …`
 * leaves out the second step. Any other message, such as the answer to a survey, gets only the text.
 */
const clerk: Model = {
  id: 'clerk',
  async *stream({ prompt }) {
    const asked = prompt.findLastIndex(({ role }) => role === 'user')
    const text = JSON.stringify(prompt[asked] ?? '')
    const said = prompt.slice(asked + 1).filter(({ role }) => role === 'assistant').length
    const steps = text.includes('"quick order ')
      ? [calls('note', 'charge')]
      : text.includes('"order ')
        ? [calls('note', 'charge'), calls('email', 'ship', 'survey')]
        : []
    await nap(2)
    yield* steps[said] ?? [TEXT]
    yield { type: 'finish', reason: steps[said] ? 'calls' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

const TEXT: ModelPart = { type: 'text', id: 't', delta: 'Done.' }

function calls(...names: readonly string[]): ModelPart[] {
  return names.map((name, index) => ({ type: 'call', id: `${name}-${index}`, name, input: '{"order":"one"}' }))
}

export function nap(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
