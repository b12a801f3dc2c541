/** What a screen is told of an agent that is part of the program. */
import type { Agent } from '@holdpoint/core'
import type { AgentRow, ToolRow } from '@holdpoint/protocol'

/** Agents as `agent()` makes them; of others the name alone. */
export type AgentFacts = Pick<Agent, 'name'> & Partial<Pick<Agent, 'model' | 'instructions' | 'tools' | 'audit'>>

export function agentRow({ name, model, instructions, tools, audit }: AgentFacts): AgentRow {
  return {
    name,
    source: 'code',
    ...(model && { model: model.id }),
    ...(instructions !== undefined && instructions !== '' && { instructions }),
    ...(tools && { tools: tools.map(toolRow) }),
    ...(audit && { audited: true as const }),
  }
}

function toolRow(tool: NonNullable<AgentFacts['tools']>[number]): ToolRow {
  const { name, description, executor, waiting, async, streaming, visible, input, gate } = tool
  return {
    name,
    description,
    executor,
    approval: gate ? 'gated' : 'auto',
    timeoutMs: waiting.timeoutMs,
    async,
    streaming,
    visible,
    input: input.json,
  }
}
