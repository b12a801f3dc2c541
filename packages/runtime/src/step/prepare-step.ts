/** Prepares one step: the tools of the agent, the caller and the plugins, and the texts that plugins add to the prompt. */
import { StateWrites } from '@holdpoint/core/internal/plugin/state'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import { toolboxOf } from '@holdpoint/core/internal/agent/agent'
import { turnIdOf, type TurnContext } from '../conversation/turn-context.ts'

export interface PreparedStep {
  readonly tools: ReadonlyMap<string, Tool>
  /** Tool names by the form that vendors accept. */
  readonly names: ReadonlyMap<string, string>
  readonly context: readonly string[]
  readonly inject: readonly string[]
  /** The state that plugins wrote in `prepare`. */
  readonly writes: StateWrites
}

/** Runs `prepare` of each plugin. Tools that plugins make from data exist only after this. */
export function prepareStep(context: TurnContext): PreparedStep | Promise<PreparedStep> {
  const { agent, log } = context
  const writes = new StateWrites(() => log.state.plugins, context.problem)
  if (agent.plugins.length > 0) return askPlugins(context, writes)
  const { tools } = context
  const toolbox = tools.length > 0 ? toolboxOf(agent, [...agent.tools, ...tools]) : agent.toolbox
  return { ...toolbox, context: [], inject: [], writes }
}

async function askPlugins(context: TurnContext, writes: StateWrites): Promise<PreparedStep> {
  const { agent, log, scope } = context
  const configs = await agent.ready()
  const added: string[] = []
  const inject: string[] = []
  const tools = [...agent.tools, ...context.tools]
  const { turn, queue, plans } = log.state
  const conversation = {
    ...log.address,
    turnId: turnIdOf(context),
    step: turn.phase === 'rest' ? 0 : turn.step,
    queue: queue.map(({ item }) => item),
    plans: [...plans.values()],
  }
  for (const plugin of agent.plugins) {
    await plugin.prepare({
      config: configs.get(plugin.id),
      services: agent.services,
      conversation,
      scope,
      state: writes,
      tools,
      context: added,
      inject,
    })
  }
  await writes.settle()
  return { ...toolboxOf(agent, tools), context: added, inject, writes }
}
