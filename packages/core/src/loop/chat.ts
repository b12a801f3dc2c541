/** The loop without a store: one message in, the turn's result or its events out. Each starts a session of its own. */
import type { Agent } from './agent.ts'
import type { LiveStream } from './live-stream.ts'
import { Session, streamOf, type ChatResult } from './session.ts'
import type { Content, SendOptions } from './session-options.ts'

/** Runs the whole turn. `result.session` goes on from there. */
export function chat(agent: Agent, content: Content, options: SendOptions = {}): Promise<ChatResult> {
  return Session.begin(agent).send(content, options)
}

/** One model call and the calls it asks for. */
export function step(agent: Agent, content: Content, options: SendOptions = {}): Promise<ChatResult> {
  return Session.begin(agent).step(content, options)
}

/** The whole turn as it happens: `for await (const item of stream(agent, 'hello'))`, then `await stream.result`. */
export function stream(agent: Agent, content: Content, options: SendOptions = {}): LiveStream<ChatResult> {
  return streamOf((watching) => chat(agent, content, watching), options)
}
