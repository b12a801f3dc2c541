/**
 * The faults by name, and their rates in this seed. A seed has some kinds and not others: a run in which everything fails
 * at once makes no progress, and hides what one kind alone would show.
 */
import type { Random } from './random.ts'
import type { Trace } from './trace.ts'

/** The usual rate of each fault per opportunity; 0 for faults that happen elsewhere and are only counted here. */
const RATES = {
  /** A process dies at an await; its memory is gone. */
  crash: 0.008,
  /** What a process sent before it died arrives after its death. */
  'ghost-request': 0.5,
  /** A process stops for longer than its lease, then continues without noticing. */
  pause: 0.004,
  /** A node found itself without a lease, or without the conversation it drove. */
  'lease-lost': 0,
  /** Nothing is written; the writer gets `failed` or `unknown`. */
  'write-failed': 0.04,
  /** The write happens, and its answer is lost. */
  'reply-lost': 0.06,
  /** The same request reaches the store twice. */
  'request-twice': 0.05,
  /** An answer arrives after the answers to several later requests. */
  'slow-reply': 0.04,
  /** Requests overtake each other. */
  reordered: 0.12,
  /** Another process wrote first. */
  conflict: 0,
  'read-failed': 0.03,
  /** For a while the store answers no request. */
  outage: 0,
  /** For a while nothing can be written. */
  'disk-full': 0,
  'notification-lost': 0.45,
  'notification-twice': 0.1,
  'notification-late': 0.1,
  /** A node's clock is set, by an hour or a day, forward or back. */
  'clock-jump': 0.006,
  'model-failed': 0.06,
  /** A reply breaks off in the middle. */
  'model-cut': 0.05,
  /** Arguments that are not JSON, tools that do not exist, ids that repeat, invalid parts. */
  'model-nonsense': 0.12,
  /** A tool fails after its effect. */
  'tool-failed-after': 0.08,
  'tool-failed-before': 0.05,
  /** A tool exceeds its timeout. */
  'tool-slow': 0.05,
  /** A tool's `verify` cannot tell whether the effect happened. */
  'verify-unclear': 0.5,
  /** A caller's request does not reach its node. */
  'call-lost': 0.04,
  /** A caller's request reaches a node twice, or two nodes. */
  'call-twice': 0.12,
  /** A caller gets no answer to its request. */
  'told-nothing': 0.06,
  /** The same answer given again. */
  'answered-twice': 0.2,
  /** Two answers that contradict each other, at the same moment and through different nodes. */
  'answers-differ': 0.25,
  'answered-late': 0.6,
  /** The wrong kind of answer, or an unknown id. */
  'answered-wrongly': 0.12,
  /** A message whose key was used for it before. */
  'key-again': 0.4,
  /** A subscriber disconnects and comes back with the last seq it saw. */
  'reader-gone': 0.08,
  /** A node closes normally, and another one replaces it. */
  'closed-node': 0,
  /** A node comes back with tools whose definitions have changed. */
  upgrade: 0,
  /** The same trigger, sent again. */
  'triggered-again': 0.4,
  /** An agent is removed from a space while it works there. */
  'sent-away': 0,
  /** All nodes are gone for a while. */
  blackout: 0,
  /** A node that does not have every agent. */
  'agent-elsewhere': 0,
} as const

/** What happens to the store as a whole (`mishaps.ts`). */
const MISHAPS = [
  /** The newest writes are gone. */
  'rollback',
  /** A log got events on a side of a divided store that was thrown away. */
  'split-brain',
  /** The synchronous standby receives a write late. */
  'standby-late',
  /** The server ends the wait for the standby, and the row stays. */
  'standby-wait-ended',
  /** The primary is lost, and the standby takes its place. */
  'standby-promoted',
  /** A session has the settings of another application. */
  'session-mixed',
  'bit-flip',
  /** An older backup is restored. */
  'restored',
] as const

type RatedKind = keyof typeof RATES
export type FaultKind = RatedKind | (typeof MISHAPS)[number]
const ratedKinds = Object.keys(RATES) as RatedKind[]
export const faultKinds: readonly FaultKind[] = [...ratedKinds, ...MISHAPS]

export class Faults {
  readonly counts: Map<FaultKind, number> = new Map()
  /** False once the faults have stopped. */
  active = true
  readonly #rates = new Map<RatedKind, number>()
  readonly #random: Random
  readonly #trace: Trace

  constructor(random: Random, trace: Trace) {
    this.#random = random
    this.#trace = trace
    for (const kind of ratedKinds) {
      const much = random.chance(0.35) ? 0 : 0.3 + 1.7 * random.next()
      this.#rates.set(kind, RATES[kind] * much)
    }
  }

  /** Whether the fault happens this time. `times` multiplies its rate. */
  strikes(kind: RatedKind, times = 1): boolean {
    if (!this.active || !this.#random.chance(times * (this.#rates.get(kind) ?? 0))) return false
    this.happened(kind)
    return true
  }

  happened(kind: FaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    this.#trace.add(`  ! ${kind}`)
  }
}

/** Periods of a fault. */
export class Windows {
  readonly #spans: { readonly from: number; readonly to: number }[]

  constructor(random: Random, start: number, most: number, longest: number) {
    const count = random.chance(0.5) ? random.between(0, most) : 0
    this.#spans = Array.from({ length: count }, () => {
      const from = start + random.below(60_000)
      return { from, to: from + random.between(500, longest) }
    })
  }

  /** Begins a period. */
  begin(now: number, ms: number): void {
    this.#spans.push({ from: now, to: now + ms })
  }

  has(now: number): boolean {
    return this.#spans.some(({ from, to }) => from <= now && now < to)
  }
}
