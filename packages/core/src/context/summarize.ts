/**
 * Summarizes the part of a conversation that is too long to show. A model does it after a turn, in the background, chunk by
 * chunk. A summary covers the conversation from its beginning to some seq. The next summary is made of it and of the events
 * after it. It is a note beside the log: without it, the conversation continues.
 *
 * Each chunk is paid for once: its summary is stored before the next request. After a failure, some turns pass before the next
 * attempt, more each time.
 */
import { toJson } from '../json.ts'
import type { Agent } from '../agent/agent.ts'
import type { SummaryLog } from './prompt-log.ts'
import type { Usage } from '../model/reply.ts'
import { askForSummary, sum, type SummaryReply } from './ask-summary.ts'
import { SUMMARY, type Summary } from './summary.ts'
import type { Assembled } from './assemble.ts'
import { tokensOf, type Fit } from './fit.ts'
import { chunksOf } from './summary-chunks.ts'

/** Whether to summarize: the conversation fills its room, or the prompt leaves out events that no summary covers. */
export function isTime(agent: Agent, assembled: Assembled): boolean {
  return agent.context.summarize !== undefined && (isFull(agent, assembled) || assembled.unsummarized)
}

function isFull({ context }: Agent, { fit, room }: Assembled): boolean {
  return fit.tokens() > (context.summarize?.from ?? 0.75) * room
}

/** Summarizes everything that is not shown. If there is little room, also the older half of what is shown. */
export async function summarize(
  agent: Agent,
  log: SummaryLog,
  assembled: Assembled,
  signal: AbortSignal,
): Promise<Summary | undefined> {
  const pauses = pausesOf(agent)
  const key = JSON.stringify(log.address)
  const pause = pauses.get(key)
  if (pause && pause.turns-- > 0) return undefined
  try {
    const summary = await extendSummary(agent, log, upToOf(agent, assembled), signal)
    pauses.delete(key)
    return summary
  } catch (error) {
    if (signal.aborted) throw error
    const failures = Math.min((pause?.failures ?? 0) + 1, MAX_FAILURES)
    pauses.delete(key)
    pauses.set(key, { failures, turns: 2 ** failures - 1 })
    for (const oldest of pauses.keys()) if (pauses.size > MAX_PAUSES) pauses.delete(oldest)
    throw error
  }
}

interface Pause {
  readonly failures: number
  /** How many turns pass before the next attempt. */
  turns: number
}

const MAX_FAILURES = 6
const MAX_PAUSES = 1000

/** By conversation, so that a conversation that leaves memory and returns is not retried sooner. */
const allPauses = new WeakMap<Agent, Map<string, Pause>>()

function pausesOf(agent: Agent): Map<string, Pause> {
  const known = allPauses.get(agent) ?? new Map<string, Pause>()
  allPauses.set(agent, known)
  return known
}

function upToOf(agent: Agent, assembled: Assembled): number {
  const { fit, room } = assembled
  const hidden = fit.shown.from - 1
  return isFull(agent, assembled) ? Math.max(hidden, olderHalf(fit, room, agent)) : hidden
}

/** The last seq before the newest passages that together take half of the room. The turn that just ended is among them. */
function olderHalf({ passages }: Fit, room: number, { context }: Agent): number {
  const tokens = (index: number): number => tokensOf(passages[index]!.rendered, context.count)
  let size = 0
  for (let index = passages.length - 1; index > 0; index--) {
    size += tokens(index)
    if (size + tokens(index - 1) > room / 2) return passages[index]!.passage.from - 1
  }
  return 0
}

async function extendSummary(
  agent: Agent,
  log: SummaryLog,
  upTo: number,
  signal: AbortSignal,
): Promise<Summary | undefined> {
  const { summarize: options = {} } = agent.context
  const before = await log.summary()
  if (upTo <= (before?.upTo ?? 0)) return undefined
  let made: SummaryReply | undefined
  let usage: Usage = { inputTokens: 0, outputTokens: 0 }
  let newest: Summary | undefined
  try {
    for await (const chunk of chunksOf(log, before?.upTo ?? 0, upTo, agent, options.chunk ?? 8000)) {
      made = await askForSummary(agent, made?.text ?? before?.text ?? '', chunk.text, signal)
      usage = sum(usage, made.usage)
      if (signal.aborted) return undefined
      if (chunk.upTo === undefined) continue
      const kept = await keep(agent, log, chunk.upTo, { ...made, usage })
      if (!kept) return await log.summary(true)
      newest = kept
      usage = { inputTokens: 0, outputTokens: 0 }
    }
  } finally {
    // After a failure, too, prompts use the summaries that were stored.
    if (newest) await log.summary(true)
  }
  return newest
}

/** The first summary wins: nothing is kept if another process has summarized as far. */
async function keep(agent: Agent, log: SummaryLog, upTo: number, made: SummaryReply): Promise<Summary | undefined> {
  const there = await log.newestSummary()
  if (there && there.upTo >= upTo) return undefined
  const { text, model, usage, cutOff } = made
  const data = toJson({ text, model, from: 1, upTo, usage, ...(cutOff && { cutOff }) })
  if (data.ok) await log.note({ kind: SUMMARY, seq: upTo, at: agent.ports.now(), data: data.value })
  return { upTo, text }
}
