/** The loop without a store: one message in, the turn's result or its events out. Each starts a session of its own. */
import type { Agent } from './agent.ts'
import type { LiveStream } from './live-stream.ts'
import { Session, streamOf, type ChatResult, type Content, type SendOptions } from './session.ts'

/** Runs the whole turn. `result.session` goes on from there. */
export async function chat(agent: Agent, content: Content, options: SendOptions = {}): Promise<ChatResult> {
  return (await Session.open(agent)).send(content, options)
}

/** One model call and the calls it asks for. */
export async function step(agent: Agent, content: Content, options: SendOptions = {}): Promise<ChatResult> {
  return (await Session.open(agent)).step(content, options)
}

/** The whole turn as it happens: `for await (const item of stream(agent, 'hello'))`, then `await stream.result`. */
export function stream(agent: Agent, content: Content, options: SendOptions = {}): LiveStream<ChatResult> {
  return streamOf((watching) => chat(agent, content, watching), options)
}
