/** An autonomous agent: the same agent with the built-in tools, and told of its goals, memories, plans and inbox. */
import type { InboxItem } from '../log/message.ts'
import { toolboxOf, type Agent } from '../loop/agent.ts'
import { definePlugin, type Plugin } from '../plugin/plugin.ts'
import { partsOf } from '../prompt/render.ts'
import { BUILT_IN } from '../life/built-in.ts'
import { placeCalls } from '../life/place-calls.ts'
import type { SpaceAccess } from '../life/space-access.ts'
import { EMPTY_MIND, planShown, selfTools, type Mind, type Note } from '../life/self-tools.ts'
import { spaceTools } from '../life/space-tools.ts'

/** The id that goals and memories are kept under. */
export const MIND = 'holdpoint.mind'
const MOST_PREVIEWED = 10

export function autonomousAgent(agent: Agent, access: SpaceAccess): Agent {
  const mind: Plugin<Mind> = mindPlugin(agent)
  const tools = [...agent.tools, ...spaceTools(access), ...selfTools(mind)]
  return {
    ...agent,
    tools,
    toolbox: toolboxOf(agent, tools),
    plugins: [...agent.plugins, mind],
    whileBusy: 'queue',
    autonomy: { placeCalls: (reply, at, known) => placeCalls(reply, at, access, known), inOrder: BUILT_IN },
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

/** What came since the cycle began. It is handled in the next one, and knowing of it may save a mistake in this. */
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
