/**
 * Summaries of what is too long to be shown: made after a turn, in the background, by a model that is asked in chunks.
 * A summary always tells the beginning of the conversation up to some seq; the next one is made of it and of what came
 * after. It is a note beside the log: when it cannot be made, or is lost, the conversation goes on without it.
 *
 * Each chunk is paid for once: what came of it is kept before the next is asked for. After a failure some turns go by
 * before the next try, more each time.
 */
import { toJson } from '../json.ts'
import type { Agent } from '../agent/agent.ts'
import type { SummaryLog } from './prompt-log.ts'
import type { Usage } from '../model/reply.ts'
import { askForSummary, sum, type Answer } from './ask-summary.ts'
import { SUMMARY, type Summary } from './summary.ts'
import type { Assembled } from './assemble.ts'
import { tokensOf, type Fit } from './fit.ts'
import { chunksOf } from './summary-chunks.ts'

/** When the conversation has taken so much of its room, or something is left out that no summary tells of. */
export function isTime(agent: Agent, assembled: Assembled): boolean {
  return agent.context.summarize !== undefined && (isFull(agent, assembled) || assembled.untold)
}

function isFull({ context }: Agent, { fit, room }: Assembled): boolean {
  return fit.tokens() > (context.summarize?.from ?? 0.75) * room
}

/** Makes a summary of everything that is not shown, and of the older half of what is when there is little room. */
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
    const summary = await carryOn(agent, log, upToOf(agent, assembled), signal)
    pauses.delete(key)
    return summary
  } catch (error) {
    if (signal.aborted) throw error
    const failures = Math.min((pause?.failures ?? 0) + 1, MOST_FAILURES)
    pauses.delete(key)
    pauses.set(key, { failures, turns: 2 ** failures - 1 })
    for (const oldest of pauses.keys()) if (pauses.size > MOST_PAUSES) pauses.delete(oldest)
    throw error
  }
}

interface Pause {
  readonly failures: number
  /** How many more turns go by without a try. */
  turns: number
}

const MOST_FAILURES = 6
const MOST_PAUSES = 1000

/** By conversation: one that is let go of and taken up again is not tried sooner. */
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

/** The seq before the first of the newest passages that take half of the room. The turn that just ended stays. */
function olderHalf({ passages }: Fit, room: number, { context }: Agent): number {
  const tokens = (index: number): number => tokensOf(passages[index]!.rendered, context.count)
  let size = 0
  for (let index = passages.length - 1; index > 0; index--) {
    size += tokens(index)
    if (size + tokens(index - 1) > room / 2) return passages[index]!.passage.from - 1
  }
  return 0
}

async function carryOn(agent: Agent, log: SummaryLog, upTo: number, signal: AbortSignal): Promise<Summary | undefined> {
  const { summarize: options = {} } = agent.context
  const before = await log.summary()
  if (upTo <= (before?.upTo ?? 0)) return undefined
  let made: Answer | undefined
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
    // Also what came before a failure is told from now on.
    if (newest) await log.summary(true)
  }
  return newest
}

/** The first summary wins: nothing is kept if another process has summarized as far. */
async function keep(agent: Agent, log: SummaryLog, upTo: number, made: Answer): Promise<Summary | undefined> {
  const there = await log.newestSummary()
  if (there && there.upTo >= upTo) return undefined
  const { text, model, usage, cutOff } = made
  const data = toJson({ text, model, from: 1, upTo, usage, ...(cutOff && { cutOff }) })
  if (data.ok) await log.note({ kind: SUMMARY, seq: upTo, at: agent.ports.now(), data: data.value })
  return { upTo, text }
}
