/** An agent whose model and tool cost nothing, so that a benchmark measures only the runtime and its store. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ContextOptions } from '@holdpoint/core'
import { agent, tool, type Agent, type Model, type ModelPart, type ModelRequest } from 'holdpoint'
import { z } from 'zod'
import { callIds, FOUND, INPUT, REPLY, TOOL } from './facts.ts'

/** Whether the model answers in the same tick, or in a later one, as every real model does. */
export type Pace = 'now' | 'later'

export interface AgentShape {
  /** How many calls the model makes in one reply. */
  readonly calls: number
  /** Whether a person must approve each call. */
  readonly approval: boolean
  /** The context of the prompt. Default: the newest messages. */
  readonly context?: ContextOptions
  /** Default: later. */
  readonly pace?: Pace
}

/** As many messages as a model is shown in every workload. */
const WINDOW = 40

export function freeAgent({
  calls,
  approval,
  context = { window: { messages: WINDOW } },
  pace = 'later',
}: AgentShape): Agent {
  const lookup = tool({
    name: TOOL,
    description: 'Looks something up',
    input: z.object({ query: z.string() }),
    approval: approval ? 'required' : 'auto',
    run: () => FOUND,
  })
  return agent({
    name: 'desk',
    model: freeModel(calls, pace),
    tools: [lookup],
    context,
    // All calls of a reply run at once.
    maxParallel: Math.max(calls, 8),
  })
}

/** Decides only by the prompt, so that any process can continue any conversation. */
function freeModel(calls: number, pace: Pace): Model {
  const nextId = callIds()
  const input = JSON.stringify(INPUT)
  const usage = { inputTokens: 1000, outputTokens: 100 }
  const text: readonly ModelPart[] = [
    { type: 'text', id: 't', delta: REPLY },
    { type: 'finish', reason: 'stop', usage },
  ]
  const callParts = (): readonly ModelPart[] => [
    ...Array.from({ length: calls }, () => ({ type: 'call', id: nextId(), name: TOOL, input }) as const),
    { type: 'finish', reason: 'calls', usage },
  ]
  const replyTo = ({ prompt }: ModelRequest): readonly ModelPart[] =>
    prompt.at(-1)?.role === 'tool' ? text : callParts()
  return {
    id: 'bench/free',
    stream: (request) => {
      const parts = replyTo(request)
      return {
        async *[Symbol.asyncIterator]() {
          if (pace === 'later') await nextTurn()
          yield* parts
        },
        forEach: async (take) => {
          if (pace === 'later') await nextTurn()
          parts.forEach(take)
        },
      }
    },
  }
}
