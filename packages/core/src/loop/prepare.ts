/** What the model is shown in one step: the tools of the agent, of the caller and of the plugins, and what plugins add. */
import { StateWrites } from '../plugin/state.ts'
import type { Tool } from '../tool/tool.ts'
import { toolboxOf } from './agent.ts'
import { turnIdOf, type TurnContext } from './turn-context.ts'

export interface Prepared {
  readonly tools: ReadonlyMap<string, Tool>
  /** From the vendors' form of a tool's name to ours. */
  readonly names: ReadonlyMap<string, string>
  readonly context: readonly string[]
  readonly inject: readonly string[]
  /** What the plugins wrote to their state while they prepared. */
  readonly writes: StateWrites
}

/** Asks every plugin what the model shall see in this step. Tools made from data exist only after this. */
export function prepare(context: TurnContext): Prepared | Promise<Prepared> {
  const { agent, log } = context
  const writes = new StateWrites(() => log.state.plugins, context.problem)
  if (agent.plugins.length > 0) return askPlugins(context, writes)
  const { tools } = context
  const toolbox = tools.length > 0 ? toolboxOf(agent, [...agent.tools, ...tools]) : agent.toolbox
  return { ...toolbox, context: [], inject: [], writes }
}

async function askPlugins(context: TurnContext, writes: StateWrites): Promise<Prepared> {
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
