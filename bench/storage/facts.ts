/**
 * The facts that every workload writes, in the documented sizes. Both sides write exactly these facts: ours as events of a
 * conversation, the baseline as one row each.
 */
export interface Fact {
  readonly kind: 'user' | 'call' | 'approval' | 'result' | 'text'
  readonly payload: Readonly<Record<string, unknown>>
}

export const TOOL = 'lookup'

/** What the user says: 100 bytes. */
export const SAID = words(1, 100)
/** The arguments of a call: 100 bytes of JSON. */
export const INPUT = { query: words(2, 100 - '{"query":""}'.length) } as const
/** What the tool found: 300 bytes of JSON. */
export const FOUND = { found: words(3, 300 - '{"found":""}'.length) } as const
/** The model's reply: 200 bytes. */
export const REPLY = words(4, 200)

/** One turn as a hand-written program stores it: the tool calls before the tools run, the results after. */
export function turnFacts(
  calls: number,
  ids: () => string,
): readonly [before: readonly Fact[], after: readonly Fact[]] {
  const callIds = Array.from({ length: calls }, ids)
  return [
    [user(), ...callIds.map(call)],
    [...callIds.map(result), text()],
  ]
}

/** A call that waits for a person. */
export function holdFacts(callId: string): readonly Fact[] {
  return [user(), call(callId)]
}

/** The person's approval, then the result of the call. */
export function resolveFacts(callId: string): readonly [before: readonly Fact[], after: readonly Fact[]] {
  return [[{ kind: 'approval', payload: { callId, approved: true } }], [result(callId), text()]]
}

/** Unique like the ids of a vendor, and the same on both sides. */
export function callIds(): () => string {
  let last = 0
  return () => `call_${(++last).toString().padStart(8, '0')}`
}

/** Short, since the baseline repeats it in every row. */
export function conversationId(nth: number): string {
  return `c${nth.toString().padStart(6, '0')}`
}

function user(): Fact {
  return { kind: 'user', payload: { text: SAID } }
}

function call(callId: string): Fact {
  return { kind: 'call', payload: { callId, name: TOOL, input: INPUT } }
}

function result(callId: string): Fact {
  return { kind: 'result', payload: { callId, ok: true, value: FOUND } }
}

function text(): Fact {
  return { kind: 'text', payload: { text: REPLY } }
}

/** Pseudorandom words, the same in every run, which a store cannot compress much. */
function words(seed: number, bytes: number): string {
  let state = seed
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  return Array.from({ length: bytes }, () => (next(6) === 0 ? ' ' : String.fromCharCode(97 + next(26)))).join('')
}
