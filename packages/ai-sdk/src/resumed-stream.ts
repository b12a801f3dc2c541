/** What a front end gets that comes back: the newest message from its beginning, or the rest of an answer whose chunks it counts. */
import { emptyView, type View } from '@holdpoint/core'
import type { ChatRun } from './chat-run.ts'
import type { ChatRuns } from './chat-runs.ts'
import { turnAfter, type ChatPorts } from './take-chat-request.ts'
import { TurnStream, type CountedTurn } from './turn-stream.ts'

/** For a front end that reconnects: all of the newest message, and then what follows. Undefined when nothing was said yet. */
export function resumedStream(view: View | undefined, counted?: CountedTurn): TurnStream | undefined {
  const turn = view?.turns.at(-1)
  if (!view || (!turn && view.queue.length === 0)) return undefined
  const waits = view.queue.length > 0 && (!turn || turn.ended !== undefined)
  const target = waits || !turn ? { after: view.seq } : { turnId: turn.turnId }
  return new TurnStream({ view, target, ...(counted && { counted }) })
}

export interface CountedRun {
  readonly tenant: string
  readonly runId: string
  readonly run: ChatRun
  /** How many chunks the front end has. */
  readonly chunks: number
}

export interface ResumedRun {
  readonly stream: TurnStream
  readonly after: number
}

/** Undefined when the turn is not among the newest of the conversation. */
export async function resumedRun(
  { tenant, runId, run, chunks }: CountedRun,
  runs: ChatRuns,
  ports: Pick<ChatPorts, 'view' | 'events'>,
): Promise<ResumedRun | undefined> {
  const resumed = await runs.resume(tenant, runId, run.known, chunks)
  const view = (await ports.view()) ?? emptyView
  const target = 'after' in run.target ? ((await turnAfter(run.target.after, ports)) ?? run.target) : run.target
  if (!view.erased && 'turnId' in target && !view.turns.some(({ turnId }) => turnId === target.turnId)) return undefined
  const begins = resumed === undefined || resumed.how === 'next' ? 1 : 0
  return { stream: new TurnStream({ view, target, counted: { begins, resumed } }), after: view.seq }
}

/** For a front end that counts chunks and comes to a conversation, not to an answer: all of the newest message, or only the end. */
export function countedStream(view: View | undefined): TurnStream {
  const begun = resumedStream(view, { begins: Infinity })
  return begun ?? new TurnStream({ view: emptyView, target: { after: 0 }, counted: { begins: 0 } })
}
