/**
 * Chooses which part of the log a prompt shows, and in which form, so that the prompt fits. The log does not change. These are
 * left out, in this order: results that are too old, turns outside the window, older results, older turns.
 *
 * - Once something must be left out, more is left out than necessary (see LOW_WATER), and the log records the place. So the next
 *   prompts begin with the same bytes, and vendors can cache them.
 * - The current turn is always shown. Only its results that are many rounds old can be left out.
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
  /** Oldest first; the last is the current turn. */
  readonly passages: readonly Passage[]
  /** The part of the log that the last prompt showed. */
  readonly shown: Shown | undefined
  /** The last seq that the newest summary covers. */
  readonly summary: number | undefined
  /** The tokens that the conversation may take. */
  readonly room: number
  readonly window: Window | undefined
  /** Undefined when no result is ever too old. */
  readonly retentionOf: RetentionOf | undefined
  readonly ownWordsAfter: number | undefined
  readonly inject: readonly UserPart[]
  /** The tokens of `inject`, which are part of the room and cannot be left out. */
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

/** A passage as the prompt shows it. */
export interface ShownPassage {
  readonly passage: Passage
  /** The calls whose results are left out because they are too old. */
  readonly stale: ReadonlySet<string>
  /** The calls whose results are left out because the prompt has no room for them. */
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
    // Also when the prompt fits: if too little is saved, every following turn has to leave out something.
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

/** The passages of an earlier prompt, as the log says that they were shown. */
export function showAs(request: RenderRequest, { stubs = 0 }: Shown): readonly ShownPassage[] {
  return show(request, { first: 0, stubs }).passages
}

const NONE: ReadonlySet<string> = new Set()

/** What rendering needs besides the plan. */
type RenderRequest = Pick<FitRequest, 'passages' | 'retentionOf' | 'ownWordsAfter' | 'inject' | 'encode' | 'count'>

function show(request: RenderRequest, { first, stubs }: Plan): Pick<Fit, 'passages' | 'tokens'> {
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

/** Counts exactly only if the upper bound is too large. */
function isWithin(room: number, seen: Pick<Fit, 'passages' | 'tokens'>, { count }: RenderRequest): boolean {
  const most = seen.passages.reduce((total, { rendered }) => total + tokensOfAtMost(rendered, count), 0)
  return most <= room || seen.tokens() <= room
}

/** An upper bound, found without reading the text. There is none for an application's own counter. */
function tokensOfAtMost(rendered: Rendered, count: TokenCounter): number {
  if (count !== estimateTokens) return tokensOf(rendered, count)
  rendered.tokensAtMost ??= rendered.messages.reduce((total, message) => total + tokensAtMost(message), 0)
  return rendered.tokensAtMost
}

function squeezedIn(request: RenderRequest, passage: Passage, stubs: number): ReadonlySet<string> {
  const calls = squeezable(request, passage)
  const left = calls.filter((call) => call.seq < stubs && saving(request, passage, call) > 0)
  return new Set(left.map(({ callId }) => callId))
}

export function tokensOf(rendered: Rendered, count: TokenCounter): number {
  rendered.tokens ??= rendered.messages.reduce((total, message) => total + count(message), 0)
  return rendered.tokens
}

/** The tokens of a passage when nothing of it is left out. */
export function wholeTokens(passage: Passage, encode: OutcomeEncoder, count: TokenCounter): number {
  passage.tokens ??= tokensOf(renderPassage(passage, { encode }), count)
  return passage.tokens
}

/** If the window is full, leaves out the oldest turns until it is filled to LOW_WATER. */
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

/** The calls whose results can be left out to make room: not those of the newest rounds, nor of tools with retention `keep`. */
function squeezable({ passages, retentionOf }: RenderRequest, passage: Passage): Passage['calls'] {
  const isLast = passage === passages.at(-1)
  const rounds = [...new Set(passage.calls.map(({ seq }) => seq))]
  const recent = isLast ? (rounds.at(-RECENT_ROUNDS) ?? 0) : Infinity
  return passage.calls.filter(({ name, seq }) => seq < recent && retentionOf?.(name) !== 'keep')
}

/** Leaves out the oldest results, all of a round together, until enough tokens are saved. */
function squeezeResults(request: FitRequest, plan: Plan, { passages }: Pick<Fit, 'passages'>, excess: number): Plan {
  let { stubs } = plan
  let saved = 0
  for (const { passage, stale, rendered } of passages) {
    // A turn in the agent's own words has no results to leave out.
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

/** The tokens saved by leaving out the result of a call. 0 if it has none, or if its replacement is as long. */
function saving({ encode, count }: RenderRequest, passage: Passage, { callId, name }: PassageCall): number {
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

/** The index of the first passage from which all passages together fit, or of the last one. */
function firstWithin({ count }: FitRequest, { passages }: Pick<Fit, 'passages'>, room: number, first: number): number {
  let size = 0
  for (let index = passages.length - 1; index > 0; index--) {
    size += tokensOf(passages[index]!.rendered, count)
    const before = tokensOf(passages[index - 1]!.rendered, count)
    if (size + before > room) return first + index
  }
  return first
}
