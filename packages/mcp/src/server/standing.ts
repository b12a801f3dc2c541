/**
 * How a call stands, read off its conversation: looked at, never driven. Asking for a result must not take up again a turn
 * that was cancelled or failed.
 */
import { holdsOf, type Json, type Runtime, type View, type ViewHold, type ViewTurn } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { RELAY } from './relay.ts'
import { failure, toolResult } from './tool-result.ts'

/** A call is a turn of a conversation, which may have others: of calls before it and after it. */
export interface Place {
  readonly conversation: string
  readonly turnId: string
}

export type Standing =
  | { readonly at: 'over'; readonly result: CallToolResult; readonly cancelled: boolean }
  | { readonly at: 'held'; readonly place: Place; readonly seq: number; readonly holds: readonly ViewHold[] }
  | { readonly at: 'working'; readonly place: Place; readonly seq: number }
  | { readonly at: 'refused'; readonly why: string }

export async function standingOf(runtime: Runtime, place: Place): Promise<Standing> {
  const { conversation, turnId } = place
  const view = await runtime.view(conversation, { turns: 1 })
  if (view?.turns.at(-1)?.turnId === turnId) return read(view, place)
  const earlier = (await runtime.view(conversation))?.turns.find((turn) => turn.turnId === turnId)
  return view && earlier ? over(view.agent, earlier, conversation) : { at: 'refused', why: 'There is no such call.' }
}

/** Of the newest turn of a conversation. */
function read(view: View, place: Place): Standing {
  if (view.status === 'running') return { at: 'working', place, seq: view.seq }
  if (view.status === 'held') return { at: 'held', place, seq: view.seq, holds: holdsOf(view) }
  return over(view.agent, view.turns.at(-1), place.conversation)
}

function over(agent: string, turn: ViewTurn | undefined, conversation: string): Standing {
  const { reason = 'completed', message } = turn?.ended ?? {}
  const cancelled = reason === 'cancelled'
  const outcome = turn?.steps[0]?.calls[0]?.outcome
  if (agent === RELAY && outcome) return { at: 'over', result: toolResult(outcome), cancelled }
  if (reason !== 'completed')
    return { at: 'over', result: failure(message ?? `It ended without a result: ${reason}.`), cancelled }
  const parts = turn?.steps.at(-1)?.reply?.parts ?? []
  const reply = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const result = { content: [{ type: 'text' as const, text: reply }], structuredContent: { reply, conversation } }
  return { at: 'over', result, cancelled }
}

/** Waits for as long as it is as `still` says; until it is something else, or nobody waits any more. */
export async function standingAfter(
  runtime: Runtime,
  place: Place,
  still: Standing['at'],
  signal: AbortSignal,
  progress: (value: Json) => void = () => {},
): Promise<Standing> {
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  let now = await standingOf(runtime, place)
  if (now.at !== still || until.aborted) return now
  try {
    for await (const item of runtime.subscribe(place.conversation, { signal: until })) {
      if (item.type === 'call-progress') progress(item.value)
      if (!('seq' in item)) continue
      now = await standingOf(runtime, place)
      if (now.at !== still) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    over.abort()
  }
  return now
}
