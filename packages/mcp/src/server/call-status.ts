/**
 * The status of a call, read from its conversation. Reading never drives the conversation: a client that asks for a result
 * must not restart a turn that was cancelled or failed.
 */
import { holdsOf, type Json, type View, type ViewHold, type ViewTurn } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { DIRECT_CALL_AGENT } from './direct-call-agent.ts'
import { failure, toolResult } from './tool-result.ts'

/** A call is one turn of a conversation. The conversation may have other turns, of earlier and later calls. */
export interface CallRef {
  readonly conversation: string
  readonly turnId: string
}

export type CallStatus =
  | { readonly state: 'finished'; readonly result: CallToolResult; readonly cancelled: boolean }
  | { readonly state: 'held'; readonly call: CallRef; readonly seq: number; readonly holds: readonly ViewHold[] }
  | { readonly state: 'working'; readonly call: CallRef; readonly seq: number }
  | { readonly state: 'refused'; readonly why: string }

export async function callStatus(runtime: Runtime, call: CallRef): Promise<CallStatus> {
  const { conversation, turnId } = call
  const view = await runtime.view(conversation, { turns: 1 })
  if (view?.turns.at(-1)?.turnId === turnId) return ofNewestTurn(view, call)
  const earlier = (await runtime.view(conversation))?.turns.find((turn) => turn.turnId === turnId)
  return view && earlier
    ? finished(view.agent, earlier, conversation)
    : { state: 'refused', why: 'There is no such call.' }
}

function ofNewestTurn(view: View, call: CallRef): CallStatus {
  if (view.status === 'running') return { state: 'working', call, seq: view.seq }
  if (view.status === 'held') return { state: 'held', call, seq: view.seq, holds: holdsOf(view) }
  return finished(view.agent, view.turns.at(-1), call.conversation)
}

function finished(agent: string, turn: ViewTurn | undefined, conversation: string): CallStatus {
  const { reason = 'completed', message } = turn?.ended ?? {}
  const cancelled = reason === 'cancelled'
  const outcome = turn?.steps[0]?.calls[0]?.outcome
  if (agent === DIRECT_CALL_AGENT && outcome) return { state: 'finished', result: toolResult(outcome), cancelled }
  if (reason !== 'completed')
    return { state: 'finished', result: failure(message ?? `The call ended without a result: ${reason}.`), cancelled }
  const parts = turn?.steps.at(-1)?.reply?.parts ?? []
  const reply = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const result = { content: [{ type: 'text' as const, text: reply }], structuredContent: { reply, conversation } }
  return { state: 'finished', result, cancelled }
}

/** Waits until the call leaves `state`, or `signal` aborts. Returns the status at that time. */
export async function callStatusAfter(
  runtime: Runtime,
  call: CallRef,
  state: CallStatus['state'],
  signal: AbortSignal,
  progress: (value: Json) => void = () => {},
): Promise<CallStatus> {
  const done = new AbortController()
  const until = AbortSignal.any([signal, done.signal])
  let status = await callStatus(runtime, call)
  if (status.state !== state || until.aborted) return status
  try {
    for await (const item of runtime.subscribe(call.conversation, { signal: until })) {
      if (item.type === 'call-progress') progress(item.value)
      if (!('seq' in item)) continue
      status = await callStatus(runtime, call)
      if (status.state !== state) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    done.abort()
  }
  return status
}
