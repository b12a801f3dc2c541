/**
 * How a tool is called without a model: by an agent whose model does as it is told. So a call that comes over MCP goes the
 * way of every other: its input is checked, people are asked, it is held, it survives.
 */
import {
  isObject,
  parseJson,
  vendorName,
  type Agent,
  type Json,
  type Model,
  type ModelPart,
  type Tool,
} from '@holdpoint/core'
import { agent } from 'holdpoint'

/** The name under which calls that come over MCP are kept. */
export const RELAY = 'mcp'

export interface Ordered {
  readonly tool: string
  readonly input: Json
}

export function relayAgent(tools: readonly Tool[]): Agent {
  return agent({ name: RELAY, model: relayModel, tools: [...tools], maxSteps: 2 })
}

export function order(ordered: Ordered): string {
  return JSON.stringify(ordered)
}

const NOTHING = { inputTokens: 0, outputTokens: 0 }

const relayModel: Model = {
  id: 'relay',
  async *stream({ prompt }): AsyncGenerator<ModelPart> {
    const last = prompt.at(-1)
    const text = last?.role === 'user' ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
    const ordered = text === '' ? undefined : parseJson(text)
    if (ordered?.ok && isObject(ordered.value) && typeof ordered.value['tool'] === 'string') {
      const { tool, input } = ordered.value as unknown as Ordered
      yield { type: 'call', id: 'call', name: vendorName(tool), input: JSON.stringify(input) }
      yield { type: 'finish', reason: 'calls', usage: NOTHING }
      return
    }
    yield { type: 'text', id: 'text', delta: 'Done.' }
    yield { type: 'finish', reason: 'stop', usage: NOTHING }
  },
}
