/**
 * Compares what the processes were told with the logs on the surviving server. The standby of a `lossy` round did not get
 * the last writes. Only they may be missing: the acknowledgements between the cut and the promotion.
 */
import { answersIn, judge, nothingAcked, type Acked, type Logs } from '../crash/judge.ts'
import type { Effect } from '../crash/desk.ts'

interface Told {
  readonly id: string
  readonly at: number
  /** When the request, or its last retry, was sent. */
  readonly asked: number
}

export interface Sent extends Told {
  readonly sent: string
}

export interface Answered extends Told {
  readonly answered: string
  readonly by: string
  readonly choice: string
  /** Whether the call has its decision now. Of two approvers, only the second one is final. */
  readonly final: boolean
}

/** A verdict `duplicate`: the log has the answer already. */
export interface Repeats extends Told {
  readonly repeats: string
  readonly by: string
}

/** Everything that the processes reported. */
export interface Record {
  readonly sent: Sent[]
  readonly answered: Answered[]
  readonly repeats: Repeats[]
  readonly broken: string[]
  readonly stuck: string[]
}

export interface Verdict {
  readonly acked: number
  readonly lost: number
  readonly doubled: number
  /** Acknowledged writes that the standby of a lossy round did not have. */
  readonly lostTail: number
  /** Effects of calls that must not run twice, and ran again because the log of a lossy round forgot them. */
  readonly ranAgain: number
  readonly problems: readonly string[]
}

/** The time in which acknowledged writes may be lost. Undefined where none may be. */
export type Tail = { readonly from: number; readonly until: number } | undefined

export function nothingTold(): Record {
  return { sent: [], answered: [], repeats: [], broken: [], stuck: [] }
}

export function judgeRound(logs: Logs, record: Record, effects: readonly Effect[], tail: Tail): Verdict {
  const inTail = ({ at }: Told): boolean => tail !== undefined && at >= tail.from && at <= tail.until
  const kept = ackedOf(record, (each) => !inTail(each))
  const atRisk = ackedOf(record, inTail)
  const none = judge(logs, nothingAcked(), [])
  const main = judge(logs, kept, tail ? once(effects) : effects)
  const decidedTwice = decisionsTwice(logs, record, inTail)
  const { broken, stuck } = record
  return {
    acked: main.acked + atRisk.sent.length + atRisk.answered.length,
    lost: main.lost,
    doubled: main.doubled + decidedTwice.length,
    lostTail: judge(logs, atRisk, []).lost - none.lost,
    ranAgain: tail ? effects.length - once(effects).length : 0,
    problems: [...main.problems, ...decidedTwice, ...broken.map((each) => `error: ${each}`), ...stuck],
  }
}

function ackedOf({ sent, answered, repeats }: Record, isMeant: (told: Told) => boolean): Acked {
  const repeated = repeats.map(({ repeats: call, ...rest }) => ({ ...rest, answered: call }))
  return {
    ...nothingAcked(),
    sent: sent.filter(isMeant),
    answered: [...answered, ...repeated].filter(isMeant),
  }
}

/**
 * Calls for which more final answers were accepted than they had holds: a call that was lost is held again. An answer that was lost with
 * the tail leaves room for another, or for itself.
 */
function decisionsTwice(logs: Logs, { answered }: Record, inTail: (told: Told) => boolean): string[] {
  const known = new Set(answersIn(logs).map(({ what }) => what))
  const holds = new Map<string, number>()
  for (const events of logs.values())
    for (const event of events)
      if (event.type === 'call.held') holds.set(event.callId, (holds.get(event.callId) ?? 0) + 1)
  const final = answered.filter((each) => each.final)
  const kept = final.filter((each) => !inTail(each))
  const again = (each: Answered): boolean =>
    kept.some(({ answered: call, by }) => call === each.answered && by === each.by)
  const survived = final.filter((each) => inTail(each) && known.has(`${each.answered} by ${each.by}`) && !again(each))
  return [...Map.groupBy([...kept, ...survived], (each) => `${each.id} ${each.answered}`)].flatMap(([call, all]) =>
    all.length > Math.max(1, holds.get(all[0]!.answered) ?? 0)
      ? [`doubled: accepted for ${call}: ${all.map((each) => `${each.choice} (${each.by})`).join(', ')}`]
      : [],
  )
}

/** Without the effects that happened again under the same call. */
function once(effects: readonly Effect[]): Effect[] {
  return [...new Map(effects.map((effect) => [`${effect.tool} ${effect.callId}`, effect])).values()]
}
