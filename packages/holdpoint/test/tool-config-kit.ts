/** One configuration of each kind, and a conversation in which the model calls a tool once. */
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, chat, toolFromConfig, type ConfigEnv, type JsonObject, type Tool, type ToolConfig } from 'holdpoint'

export const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const base = { name: 'weather.get', description: 'The weather of a city', inputSchema } as const
export const configs = {
  gateway: { ...base, executionType: 'gateway', execution: { url: 'https://api.test/weather/{city}' } },
  external: { ...base, executionType: 'external' },
  space: { ...base, executionType: 'space' },
  internal: { ...base, executionType: 'internal' },
} as const satisfies Record<string, ToolConfig>
export type Kind = keyof typeof configs
export const kinds = Object.keys(configs) as Kind[]

export async function called(made: Tool, input: JsonObject) {
  const model = scriptedModel([{ calls: [{ name: made.name, input }] }, 'done'])
  const ports = testPorts()
  const result = await chat(agent({ name: 'desk', model, tools: [made], ports }), 'go')
  return { ...result, model, ports, outcome: result.steps[0]?.calls[0]?.outcome }
}

export function refusal(config: unknown, env: ConfigEnv = {}): { code: string; message: string } {
  try {
    toolFromConfig(config, env)
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return { code, message }
  }
  throw new Error('It was not refused.')
}
