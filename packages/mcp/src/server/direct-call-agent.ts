/**
 * Calls a tool without a model. The agent's model replies with exactly the call that the message names. A call over MCP
 * therefore goes through the same loop as every other call: validation, approval, holds and recovery.
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

/** The agent name of conversations that hold direct calls. */
export const DIRECT_CALL_AGENT = 'mcp'

/** The permission check runs before a message is sent. The agent refuses messages that do not carry this sender. */
export const SENDER: unique symbol = Symbol('mcp')

export interface DirectCall {
  readonly tool: string
  readonly input: Json
}

export function directCallAgent(tools: readonly Tool[]): Agent {
  return agent({ name: DIRECT_CALL_AGENT, model: directCallModel, tools: [...tools], maxSteps: 2, sender: SENDER })
}

/** The message that makes the agent call the tool. */
export function directCallMessage(call: DirectCall): string {
  return JSON.stringify(call)
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 }

const directCallModel: Model = {
  id: 'direct-call',
  async *stream({ prompt }): AsyncGenerator<ModelPart> {
    const last = prompt.at(-1)
    const text = last?.role === 'user' ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
    const message = text === '' ? undefined : parseJson(text)
    if (message?.ok && isObject(message.value) && typeof message.value['tool'] === 'string') {
      const { tool, input } = message.value as unknown as DirectCall
      yield { type: 'call', id: 'call', name: vendorName(tool), input: JSON.stringify(input) }
      yield { type: 'finish', reason: 'calls', usage: NO_USAGE }
      return
    }
    yield { type: 'text', id: 'text', delta: 'Done.' }
    yield { type: 'finish', reason: 'stop', usage: NO_USAGE }
  },
}
