/**
 * The built-in tools for spaces. An agent enters a space, and its later calls are made there, so other tools have no input
 * for the space.
 */
import { ENTER_SPACE, LEAVE_SPACE, READ_MESSAGES, SEND_MESSAGE } from '@holdpoint/core/internal/agent/built-in-tools'
import type { Json } from '@holdpoint/core/internal/json'
import { timeText } from '@holdpoint/core/internal/time-text'
import { skip, toolError } from '@holdpoint/core/internal/tool/handler-result'
import { toolDefiner, type Tool } from '@holdpoint/core/internal/tool/tool'
import type { SpaceMessage } from '../space/space-view.ts'
import { toolInput } from './tool-input.ts'
import type { ReadResult, SpaceAccess } from './space-access.ts'

const tool = toolDefiner(undefined)
const LONGEST_MESSAGE = 100_000
const HISTORY = 20
const MOST_MESSAGES = 100

/** The input field of `send_message` whose text members see while the agent writes it. */
export const MESSAGE_TEXT = 'text'

export function spaceTools(access: SpaceAccess): readonly Tool[] {
  return [
    tool({
      name: ENTER_SPACE,
      description: 'Go into a space you are a member of, and read what was said there last.',
      input: toolInput({ space: { type: 'string', description: 'Its id' } }, ['space'], (given) =>
        given.text('space', 200),
      ),
      visible: false,
      run: async ({ input: space }) => messagesShown(space, await access.messages(space, 0, HISTORY)),
    }),
    tool({
      name: LEAVE_SPACE,
      description: 'Leave the space you are in.',
      input: toolInput({}, [], () => ({})),
      visible: false,
      run: ({ call }) => ({ left: access.spaceOfCall(call.id) ?? null }),
    }),
    sendMessage(access),
    tool({
      name: READ_MESSAGES,
      description: 'Read what was said in a space, the newest last: the one you are in unless you name another.',
      input: toolInput(
        {
          space: { type: 'string' },
          offset: { type: 'integer', description: 'How many of the newest to leave out' },
          limit: { type: 'integer', description: `How many. Default: ${HISTORY}, at most ${MOST_MESSAGES}` },
        },
        [],
        (given) => ({
          space: given.maybeText('space', 200),
          offset: given.maybeWhole('offset', 0, 10_000) ?? 0,
          limit: given.maybeWhole('limit', 1, MOST_MESSAGES) ?? HISTORY,
        }),
      ),
      visible: false,
      run: async ({ input: { space: wanted, offset, limit }, call }) => {
        const space = wanted ?? access.spaceOfCall(call.id)
        if (space === undefined) return toolError('You are not in a space. Name one, or call enter_space first.')
        return messagesShown(space, await access.messages(space, offset, limit))
      },
    }),
    tool({
      name: 'skip',
      description: 'There is nothing to do: end this cycle, and forget about it.',
      input: toolInput({}, [], () => ({})),
      visible: false,
      run: () => skip(),
    }),
  ]
}

function sendMessage(access: SpaceAccess): Tool {
  return tool({
    name: SEND_MESSAGE,
    description: 'Say something in the space you are in. People and agents see only what you say with this tool.',
    input: toolInput(
      {
        [MESSAGE_TEXT]: { type: 'string' },
        replyTo: { type: 'integer', description: 'The seq of the message that you answer' },
      },
      [MESSAGE_TEXT],
      (given) => ({
        text: given.text(MESSAGE_TEXT, LONGEST_MESSAGE),
        replyTo: given.maybeWhole('replyTo', 1, Number.MAX_SAFE_INTEGER),
      }),
    ),
    visible: false,
    run: async ({ input: { text, replyTo }, call }) => {
      const space = access.spaceOfCall(call.id)
      if (space === undefined) return toolError('You are not in a space. Call enter_space first.')
      const posted = await access.post(space, { text, callId: call.id, ...(replyTo !== undefined && { replyTo }) })
      if (!posted.ok) return toolError(posted.message)
      const hint = 'Agents have talked for long among themselves: this wakes no agent until a person says something.'
      return { sent: true, seq: posted.seq, ...(posted.quiet && { note: hint }) }
    },
  })
}

function messagesShown(space: string, answer: ReadResult): Json | ReturnType<typeof toolError> {
  if (!answer.ok) return toolError(answer.message)
  const { name, members, messages } = answer
  return { space, name, members: members.map(({ kind, id }) => ({ kind, id })), messages: messages.map(messageShown) }
}

function messageShown(message: SpaceMessage): Json {
  const { seq, at } = message
  const when = { seq, at: timeText(at) }
  if (message.kind === 'tool') {
    const { agent, name, input: given, status, output = null } = message
    return { ...when, tool: name, agent, input: given, status, output }
  }
  const { from, text, replyTo } = message
  return { ...when, from: from.id, kind: from.kind, text, ...(replyTo !== undefined && { replyTo }) }
}
