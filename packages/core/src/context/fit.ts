/**
 * Makes a prompt fit: what of the log is shown, and in which form. The log is never touched, and what costs nothing comes
 * first: results that are too old are left out, then the window moves, then older results go, then older turns.
 *
 * - Once something has to give, more is given up than would be needed (see LOW_WATER), and the place is remembered in the
 *   log. Until it is reached again, prompts begin with the same bytes, which is what vendors' caches live on.
 * - The turn that is going on is always shown, whole but for results of its own that are many rounds old.
 */
import type { Shown } from '../log/log-event.ts'
import { Rendering } from '../prompt/prompt.ts'
import { renderPassage, stubOf, type Rendered, type RenderOptions } from '../prompt/render.ts'
import type { Passage, PassageCall } from '../prompt/transcript.ts'
import type { OutcomeEncoder } from '../model/encode-outcome.ts'
import type { UserPart } from '../log/message.ts'
import { estimateTokens, tokensAtMost } from './count.ts'
import { LOW_WATER, RECENT_ROUNDS, type TokenCounter, type Window } from './context-options.ts'
import { tooOld, type RetentionOf } from './retention.ts'

export interface FitRequest {
  /** Oldest first; the last is the turn that is going on. */
  readonly passages: readonly Passage[]
  /** What was shown last. */
  readonly shown: Shown | undefined
  /** The newest summary there is: the seq it reaches to. */
  readonly summary: number | undefined
  /** Tokens the conversation may take. */
  readonly room: number
  readonly window: Window | undefined
  /** Left out when nothing is ever too old. */
  readonly retentionOf: RetentionOf | undefined
  readonly ownWordsAfter: number | undefined
  readonly inject: readonly UserPart[]
  /** Tokens that `inject` takes of the room: of them nothing can be left out. */
  readonly injected?: number
  readonly encode: OutcomeEncoder
  readonly count: TokenCounter
}

export interface Fit {
  readonly shown: Shown
  readonly passages: readonly ShownPassage[]
  /** Counted on demand. */
  tokens(): number
  readonly fits: boolean
}

/** A passage, what of it is left out, and what is read of it. */
export interface ShownPassage {
  readonly passage: Passage
  /** Results left out because they are too old. */
  readonly stale: ReadonlySet<string>
  /** And those left out because there was no room. */
  readonly squeezed: ReadonlySet<string>
  readonly ownWords: boolean
  readonly rendered: Rendered
}

export function fit(request: FitRequest): Fit {
  const { room, shown, summary, injected = 0 } = request
  const low = (room - injected) * LOW_WATER + injected
  const from = Math.max(shown?.from ?? 0, (summary ?? 0) + 1)
  const first = Math.max(
    0,
    request.passages.findIndex((passage) => passage.from >= from),
  )
  let plan: Plan = { first, stubs: shown?.stubs ?? 0 }
  plan = moveWindow(request, plan)
  let seen = show(request, plan)
  if (!isWithin(room, seen, request)) {
    plan = squeezeResults(request, plan, seen, seen.tokens() - low)
    seen = show(request, plan)
    // Not only when it still does not fit: with little saved, something would have to give in every turn from now on.
    if (seen.tokens() > low) {
      plan = { ...plan, first: firstWithin(request, seen, low, plan.first) }
      seen = show(request, plan)
    }
  }
  const begins = request.passages[plan.first]?.from ?? 1
  return {
    shown: {
      from: begins,
      ...(plan.stubs > begins && { stubs: plan.stubs }),
      ...(summary !== undefined && summary < begins && { summary }),
    },
    ...seen,
    fits: isWithin(room, seen, request),
  }
}

interface Plan {
  /** The index of the first passage that is shown. */
  readonly first: number
  readonly stubs: number
}

/** The same once more, as the log says it was shown. */
export function showAs(request: Showing, { stubs = 0 }: Shown): readonly ShownPassage[] {
  return show(request, { first: 0, stubs }).passages
}

const NONE: ReadonlySet<string> = new Set()

/** What it takes to render, once it is known what is shown. */
type Showing = Pick<FitRequest, 'passages' | 'retentionOf' | 'ownWordsAfter' | 'inject' | 'encode' | 'count'>

function show(request: Showing, { first, stubs }: Plan): Pick<Fit, 'passages' | 'tokens'> {
  const { retentionOf, ownWordsAfter = Infinity, encode, inject } = request
  const passages = request.passages.slice(first)
  const last = passages.at(-1)
  const stale = retentionOf && tooOld(passages, retentionOf)
  const whole: RenderOptions = { encode }
  const rendering = new Rendering()
  const shown = passages.map((passage, index): ShownPassage => {
    const old = stale?.[index] ?? NONE
    const squeezed = stubs > passage.from ? squeezedIn(request, passage, stubs) : NONE
    const ownWords = passages.length - 1 - index > ownWordsAfter
    const left = squeezed.size > 0 ? new Set([...old, ...squeezed]) : old
    const less = ownWords || left.size > 0 ? { encode, ownWords, ...(left.size > 0 && { stubs: left }) } : whole
    const rendered = rendering.of(passage, passage === last ? { ...less, current: true, inject } : less)
    return { passage, stale: old, squeezed, ownWords, rendered }
  })
  return {
    passages: shown,
    tokens: () => shown.reduce((total, { rendered }) => total + tokensOf(rendered, request.count), 0),
  }
}

/** Counts only where that is needed to tell. */
function isWithin(room: number, seen: Pick<Fit, 'passages' | 'tokens'>, { count }: Showing): boolean {
  const most = seen.passages.reduce((total, { rendered }) => total + tokensOfAtMost(rendered, count), 0)
  return most <= room || seen.tokens() <= room
}

/** An application's counter can only be called: its sums need not add up. */
function tokensOfAtMost(rendered: Rendered, count: TokenCounter): number {
  if (count !== estimateTokens) return tokensOf(rendered, count)
  rendered.tokensAtMost ??= rendered.messages.reduce((total, message) => total + tokensAtMost(message), 0)
  return rendered.tokensAtMost
}

function squeezedIn(request: Showing, passage: Passage, stubs: number): ReadonlySet<string> {
  const calls = squeezable(request, passage)
  const left = calls.filter((call) => call.seq < stubs && saving(request, passage, call) > 0)
  return new Set(left.map(({ callId }) => callId))
}

export function tokensOf(rendered: Rendered, count: TokenCounter): number {
  rendered.tokens ??= rendered.messages.reduce((total, message) => total + count(message), 0)
  return rendered.tokens
}

/** Of a passage of which nothing is left out. */
export function wholeTokens(passage: Passage, encode: OutcomeEncoder, count: TokenCounter): number {
  passage.tokens ??= tokensOf(renderPassage(passage, { encode }), count)
  return passage.tokens
}

/** As few of the oldest turns as it takes, when the window is full. */
function moveWindow({ passages, window, count, encode }: FitRequest, plan: Plan): Plan {
  if (!window) return plan
  const [limit, sizeOf] = measure(window, (passage) => wholeTokens(passage, encode, count))
  const sizes = passages.slice(plan.first).map(sizeOf)
  let size = sizes.reduce((total, each) => total + each, 0)
  if (size <= limit) return plan
  let moved = 0
  for (; moved < sizes.length - 1 && size > limit * LOW_WATER; moved++) size -= sizes[moved]!
  return { ...plan, first: plan.first + moved }
}

function measure(window: Window, tokens: (passage: Passage) => number): [number, (passage: Passage) => number] {
  if ('messages' in window) return [window.messages, ({ messages }) => messages]
  return 'turns' in window ? [window.turns, () => 1] : [window.tokens, tokens]
}

/** Calls whose results may go when there is no room: not those of the newest rounds, and not what its tool keeps. */
function squeezable({ passages, retentionOf }: Showing, passage: Passage): Passage['calls'] {
  const isLast = passage === passages.at(-1)
  const rounds = [...new Set(passage.calls.map(({ seq }) => seq))]
  const recent = isLast ? (rounds.at(-RECENT_ROUNDS) ?? 0) : Infinity
  return passage.calls.filter(({ name, seq }) => seq < recent && retentionOf?.(name) !== 'keep')
}

/** Leaves out results, oldest first and those of one round together, until enough is saved or there are no more. */
function squeezeResults(request: FitRequest, plan: Plan, { passages }: Pick<Fit, 'passages'>, excess: number): Plan {
  let { stubs } = plan
  let saved = 0
  for (const { passage, stale, rendered } of passages) {
    // Of turns in the agent's own words there is nothing to save.
    if (!rendered.messages.some(({ role }) => role === 'tool')) continue
    for (const call of squeezable(request, passage)) {
      if (call.seq < plan.stubs) continue
      if (saved >= excess && call.seq >= stubs) return { ...plan, stubs }
      stubs = call.seq + 1
      if (!stale.has(call.callId)) saved += saving(request, passage, call)
    }
  }
  return { ...plan, stubs }
}

/** Nothing when the result is not there, or not longer than what would be read in its place. */
function saving({ encode, count }: Showing, passage: Passage, { callId, name }: PassageCall): number {
  const known = passage.savings?.get(callId)
  if (known !== undefined) return known
  const settled = passage.events.find((event) => event.type === 'call.settled' && event.callId === callId)
  if (settled?.type !== 'call.settled') return 0
  const { outcome } = settled
  const content = encode(outcome, { callId, name })
  const saved = Math.max(0, count(JSON.stringify(content)) - count(JSON.stringify(stubOf(outcome.ok))))
  passage.savings ??= new Map()
  passage.savings.set(callId, saved)
  return saved
}

/** The first passage from which on everything fits, or the last one. */
function firstWithin({ count }: FitRequest, { passages }: Pick<Fit, 'passages'>, room: number, first: number): number {
  let size = 0
  for (let index = passages.length - 1; index > 0; index--) {
    size += tokensOf(passages[index]!.rendered, count)
    const before = tokensOf(passages[index - 1]!.rendered, count)
    if (size + before > room) return first + index
  }
  return first
}
