/** One turn without a store: a message in, the result or the events of the turn out. Each function starts a new session. */
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { LiveStream } from './live-stream.ts'
import { Session, streamOf, type ChatResult } from './session.ts'
import type { Content, SendOptions } from './session-options.ts'

/** Runs the whole turn. To continue the conversation, use `result.session`. */
export function chat(agent: Agent, content: Content, options: SendOptions = {}): Promise<ChatResult> {
  return Session.begin(agent).send(content, options)
}

/** One model call, and the tool calls it asks for. */
export function step(agent: Agent, content: Content, options: SendOptions = {}): Promise<ChatResult> {
  return Session.begin(agent).step(content, options)
}

/** The whole turn as it happens: `for await (const item of stream(agent, 'hello'))`, then `await stream.result`. */
export function stream(agent: Agent, content: Content, options: SendOptions = {}): LiveStream<ChatResult> {
  return streamOf((watching) => chat(agent, content, watching), options)
}
