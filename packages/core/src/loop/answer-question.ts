/** A message that answers the question a tool asked, for those who send with whileBusy `answer`. */
import { userMessage, type UserMessage } from '../log/message.ts'
import type { Decision } from '../turn/decide.ts'
import { checkContent } from './check-send.ts'
import type { ActiveConversation } from './active-conversation.ts'
import { openHolds, type HeldCall } from './result.ts'
import type { SendOptions } from './session-options.ts'

/** Whether it was taken; undefined when no question of the turn is open, and the message is an ordinary one. */
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
  if (value === undefined) return refuse('A question is answered with text.')
  const who = { ...(by !== undefined && { by }), ...(scope && { scope }) }
  // Of another hold that the call has by the time this is written, it would not be the answer.
  const only = { hold: question.nth, kinds: ['elicitation'] as const }
  const told = await live.resolve(question.callId, { kind: 'answer', value }, { ...who, ...only }, key)
  return told.verdict === 'accepted' || told.verdict === 'duplicate' ? { ok: true, events: [] } : refuse(told.message)
}

/** The turn waits for it. The answer to an async one starts a turn of its own, as any message does. */
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
