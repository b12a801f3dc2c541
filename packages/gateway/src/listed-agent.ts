/** An agent as the API lists it: from the program's code, or created over HTTP. */
import type { Agent } from '@holdpoint/core'
import type { AgentRow, ToolRow } from '@holdpoint/protocol'

/** An agent from `agent()`. For any other object only the name is listed. */
export type ListedAgent = Pick<Agent, 'name'> & Partial<Pick<Agent, 'model' | 'instructions' | 'tools' | 'audit'>>

export function agentRow(agent: ListedAgent): AgentRow {
  return { name: agent.name, source: 'code', ...agentDetails(agent) }
}

export function agentDetails({
  model,
  instructions,
  tools,
  audit,
}: ListedAgent): Pick<AgentRow, 'model' | 'instructions' | 'tools' | 'audited'> {
  return {
    ...(model && { model: model.id }),
    ...(instructions !== undefined && instructions !== '' && { instructions }),
    ...(tools && { tools: tools.map(toolRow) }),
    ...(audit && { audited: true as const }),
  }
}

function toolRow(tool: NonNullable<ListedAgent['tools']>[number]): ToolRow {
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
