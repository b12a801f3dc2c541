/** With `whileBusy: 'answer'`, a message answers the open question of a tool. */
import { userMessage, type UserMessage } from '@holdpoint/core/internal/log/message'
import type { Decision } from '@holdpoint/core/internal/turn/decision'
import { checkContent } from './check-send.ts'
import type { ActiveConversation } from './active-conversation.ts'
import { openHolds, type HeldCall } from '../session/result.ts'
import type { SendOptions } from '../session/session-options.ts'

/** The decision; undefined when the turn has no open question, so that the message is an ordinary one. */
export async function answerQuestion(
  said: { readonly content: unknown } | undefined,
  { by, scope, key, whileBusy }: SendOptions,
  live: Pick<ActiveConversation, 'log' | 'resolve'>,
): Promise<Decision | undefined> {
  if (!said || whileBusy !== 'answer') return undefined
  const message = userMessage(checkContent(said.content))
  await live.log.refresh()
  const question = openHolds(live.log.state).find(isAsked)
  if (!question) return undefined
  const value = textOf(message)
  if (value === undefined) return refuse('Only text can answer a question.')
  const who = { ...(by !== undefined && { by }), ...(scope && { scope }) }
  // The call may be held again before this is written. The message does not answer that hold.
  const only = { hold: question.nth, kinds: ['elicitation'] as const }
  const told = await live.resolve(question.callId, { kind: 'answer', value }, { ...who, ...only }, key)
  return told.verdict === 'accepted' || told.verdict === 'duplicate' ? { ok: true, events: [] } : refuse(told.message)
}

/** Whether the turn waits for this question. The answer to an async call starts a turn of its own, as a message does. */
function isAsked({ kind, async }: HeldCall): boolean {
  return kind === 'elicitation' && !async
}

function textOf({ parts }: UserMessage): string | undefined {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : undefined
}

function refuse(message: string): Decision {
  return {
    ok: false,
    refusal: 'turn-in-progress',
    message: `The message does not answer the open question. ${message}`,
  }
}
