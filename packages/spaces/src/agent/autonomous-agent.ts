/** Makes an agent autonomous: adds the built-in tools, and its goals, memories, plans and inbox to the prompt. */
import { MOST_PREVIEWED, type InboxItem } from '@holdpoint/core/internal/log/message'
import { toolboxOf, type Agent } from '@holdpoint/core/internal/agent/agent'
import { definePlugin, type Plugin } from '@holdpoint/core/internal/plugin/plugin'
import { partsOf } from '@holdpoint/core/internal/prompt/render'
import { BUILT_IN } from '@holdpoint/core/internal/agent/built-in-tools'
import { spacesOfCalls } from './spaces-of-calls.ts'
import type { SpaceAccess } from './space-access.ts'
import { EMPTY_MIND, planShown, selfTools, type Mind, type Note } from './self-tools.ts'
import { spaceTools } from './space-tools.ts'

/** The id of the plugin state with goals and memories. */
export const MIND = 'holdpoint.mind'

export function autonomousAgent(agent: Agent, access: SpaceAccess): Agent {
  const mind: Plugin<Mind> = mindPlugin(agent)
  const tools = [...agent.tools, ...spaceTools(access), ...selfTools(mind)]
  return {
    ...agent,
    tools,
    toolbox: toolboxOf(agent, tools),
    plugins: [...agent.plugins, mind],
    whileBusy: 'queue',
    autonomy: { spacesOfCalls: (reply, at, known) => spacesOfCalls(reply, at, access, known), inOrder: BUILT_IN },
    ready: async () => new Map([...(await agent.ready()), [MIND, {}]]),
  }
}

function mindPlugin(agent: Agent): Plugin<Mind> {
  return definePlugin({
    id: MIND,
    initial: EMPTY_MIND,
    prepare: ({ state, self, conversation, context, inject }) => {
      const { goals, memories } = (state.get(self) as Mind | undefined) ?? EMPTY_MIND
      context.push(lesson(agent.name))
      if (goals.length > 0) context.push(`Your goals:\n${lines(goals)}`)
      if (memories.length > 0) context.push(`Your memories:\n${lines(memories)}`)
      const plans = conversation.plans.map((plan) => JSON.stringify(planShown(plan)))
      if (plans.length > 0) context.push(`Your plans:\n${plans.join('\n')}`)
      const waiting = conversation.queue.filter((item): item is InboxItem => item.kind === 'event')
      if (waiting.length > 0) inject.push(preview(waiting, agent))
    },
  }) as unknown as Plugin<Mind>
}

function lesson(name: string): string {
  return [
    `You are the agent "${name}". You sleep until something is in your inbox, and wake once for everything in it.`,
    'People and other agents do not see what you write, only what you say with send_message in a space.',
    'When all you were woken for came from one space, you are in that space.',
    'Otherwise, or to go elsewhere, call enter_space before you say something or use a tool that is shown in a space.',
    'If nothing needs doing, call skip and nothing else.',
  ].join(' ')
}

/** Items that arrived since the cycle began. The next cycle handles them, but knowing of them may prevent a mistake now. */
function preview(waiting: readonly InboxItem[], agent: Agent): string {
  const shown = waiting.slice(0, MOST_PREVIEWED).flatMap((item) => partsOf(item, agent.encodeOutcome))
  const texts = shown.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const more = waiting.length - MOST_PREVIEWED
  const rest = more > 0 ? [`… and ${more} more`] : []
  return ['Meanwhile this arrived. You will be woken for it after this cycle:', ...texts, ...rest].join('\n')
}

function lines(notes: readonly Note[]): string {
  return notes.map(({ id, text }) => JSON.stringify({ id, text })).join('\n')
}
