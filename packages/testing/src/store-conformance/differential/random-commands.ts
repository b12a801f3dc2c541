/**
 * Random commands from a seed. They use the seqs and epochs of earlier results, so most appends succeed, some are off by one, and many
 * conflict.
 */
import type { ConversationStatus, HoldRow, Json, PendingQuery } from '@holdpoint/core'
import { draft, note, NOON } from '../drafts.ts'
import { CALLS, DOCUMENTS, KEYS, LABELS, NOTES, type Known } from './known.ts'
import { midStep, STEP_MS, type Command, type Question, type Which } from './command.ts'

type Random = () => number

const STATUSES: readonly ConversationStatus[] = ['running', 'running', 'held', 'idle']
const KINDS: readonly HoldRow['kind'][] = ['approval', 'elicitation', 'client', 'external']
const TOOLS = ['mail', 'pay', `it's "odd"`]
const VALUES: readonly Json[] = [
  null,
  '',
  'odd \u0000 \ud800 🙂 e\u0301',
  `\\ '' "`,
  { b: 1, B: [], '': {} },
  0.1 + 0.2,
]
const KEPT = ['agent', 'agent', 'agent', 'key']
const LIMITS = [1, 2, 3, 100]

export function randomCommand(random: Random, known: Known): Command {
  const handle: Which = random() < 0.5 ? 0 : 1
  const roll = random() * 100
  if (roll < 32) return { handle, ...randomAppend(random, known) }
  if (roll < 37) return { handle, ...appendAgain(random, known) }
  if (roll < 42)
    return { handle, ask: 'takeOver', what: pick(random, known.addresses), node: randomNode(random, known) }
  if (roll < 46) return { handle: 0, ask: 'beat', node: pick(random, known.nodes), ttlMs: midStep(below(random, 3)) }
  if (roll < 47.5) return { handle: 0, ask: 'leave', node: pick(random, known.nodes) }
  if (roll < 52) return { handle, ask: 'advance', ms: STEP_MS * (1 + below(random, 2)) }
  if (roll < 52.5) return { handle: 1, ask: 'reopen' }
  if (roll < 56) return { handle, ask: 'due', query: { limit: pick(random, LIMITS) } }
  if (roll < 60)
    return { handle, ask: 'due', query: { agents: some(random, known.agents), limit: pick(random, LIMITS) } }
  if (roll < 67) return { handle, ...randomNote(random, known) }
  if (roll < 79) return { handle, ...randomPut(random, known) }
  if (roll < 80.5) return { handle, ask: 'sweep' }
  if (roll < 86) return { handle, ...randomPage(random, known) }
  return { handle, ...randomRead(random, known) }
}

type Asked<Ask> = Extract<Question, { readonly ask: Ask }>

function randomAppend(random: Random, known: Known): Asked<'append'> {
  const to = pick(random, known.addresses)
  const many = 1 + below(random, 3)
  const off = random() < 0.8 ? 0 : pick(random, [-2, -1, 1])
  const expectedSeq = Math.max(0, known.headOf(to) + off)
  const at = known.time()
  const epoch = known.epochOf(to) + pick(random, [0, 0, 0, -1, 1])
  const write = draft(to.id, expectedSeq, {
    events: Array.from({ length: many }, () => note(pick(random, VALUES))),
    at,
    agent: pick(random, known.agents),
    status: pick(random, STATUSES),
    base: maybe(random, 0.15, () => pick(random, VALUES)),
    holds: randomHolds(random, expectedSeq + many, at),
    ...given(
      'node',
      maybe(random, 0.5, () => randomNode(random, known)),
    ),
    ...given(
      'epoch',
      maybe(random, 0.2, () => Math.max(0, epoch)),
    ),
    ...given(
      'key',
      maybe(random, 0.2, () => pick(random, KEYS)),
    ),
    ...given(
      'labels',
      maybe(random, 0.3, () => some(random, LABELS)),
    ),
    ...given(
      'hidden',
      maybe(random, 0.1, () => true as const),
    ),
    ...given(
      'erase',
      maybe(random, 0.06, () => true as const),
    ),
  })
  const wakeIn = maybe(random, 0.4, () => midStep(known.steps + below(random, 6) - 2))
  return { ask: 'append', write: { ...write, to }, wakeIn }
}

/** Repeats an earlier append, exactly or with a change that makes it another one. */
function appendAgain(random: Random, known: Known): Asked<'append'> {
  if (known.writes.length === 0) return randomAppend(random, known)
  const before = pick(random, known.writes)
  const write = random() < 0.7 ? before : { ...before, expectedSeq: Math.max(0, before.expectedSeq + 1) }
  return { ask: 'append', write, wakeIn: undefined }
}

function randomNote(random: Random, known: Known): Asked<'note'> {
  // Few places, so that many notes have the same place.
  const to = pick(random, known.addresses.slice(0, 2))
  const seq = below(random, 3)
  const note = { kind: pick(random, NOTES), seq, at: known.time(), data: pick(random, VALUES) }
  const endsIn = maybe(random, 0.5, () => midStep(known.steps + below(random, 4) - 1))
  return { ask: 'note', to, note, endsIn }
}

function randomPut(random: Random, known: Known): Asked<'put'> {
  const [tenant] = known.tenants
  // Few ids, some with the same prefix.
  const id = pick(random, random() < 0.6 ? DOCUMENTS.slice(0, 2) : DOCUMENTS)
  const expected = maybe(random, 0.7, () => Math.max(0, known.versionOf(id) + pick(random, [0, 0, 0, 0, -1, 1])))
  const data = random() < 0.15 ? undefined : pick(random, VALUES)
  const ttlMs = maybe(random, 0.4, () => midStep(below(random, 3)))
  return {
    ask: 'put',
    put: {
      tenant: tenant ?? '',
      kind: pick(random, KEPT),
      id,
      data,
      ...given('expected', expected),
      ...given('ttlMs', ttlMs),
    },
  }
}

function randomPage(random: Random, known: Known): Asked<'documents'> {
  const prefix = maybe(random, 0.5, () => pick(random, random() < 0.6 ? DOCUMENTS.slice(0, 1) : DOCUMENTS))
  const query = { tenant: known.tenants[0] ?? '', kind: 'agent', limit: pick(random, [1, 1, 2, 100]) }
  return { ask: 'documents', goOn: random() < 0.6, query: { ...query, ...given('prefix', prefix) } }
}

function randomHolds(random: Random, head: number, at: number): HoldRow[] {
  return CALLS.flatMap((callId, nth) =>
    random() < 0.7
      ? []
      : {
          callId,
          tool: pick(random, TOOLS),
          kind: pick(random, KINDS),
          open: random() < 0.7,
          heldAt: at + nth,
          expiresAt: NOON + below(random, 4),
          seqs: Array.from({ length: head }, (_, n) => n + 1).filter(() => random() < 0.4),
          ...given(
            'labels',
            maybe(random, 0.5, () => some(random, LABELS).slice(0, 2)),
          ),
        },
  )
}

function randomRead(random: Random, known: Known): Question {
  const from = pick(random, known.addresses)
  const near = below(random, known.headOf(from) + 3)
  const limit = pick(random, LIMITS)
  const tenant = pick(random, known.tenants)
  const goOn = random() < 0.6
  switch (below(random, 12)) {
    case 0:
      return { ask: 'load', from }
    case 1:
      return { ask: 'read', from, after: near, limit }
    case 2:
      // Not from beyond the end: read-cases.ts covers that.
      return { ask: 'readBack', from, before: Math.min(near, known.headOf(from)) + 1, limit }
    case 3:
      return goOn
        ? { ask: 'readCall', from, callId: pick(random, CALLS) }
        : { ask: 'findCall', tenant, callId: pick(random, CALLS) }
    case 4:
      return { ask: 'findKey', from, key: pick(random, KEYS) }
    case 5:
      return { ask: 'heads', of: [...some(random, known.addresses), { tenant, id: 'unknown' }, from] }
    case 6:
      return { ask: 'list', goOn, query: { tenant, limit, ...listFilter(random, known) } }
    case 7: {
      const before = maybe(random, 0.5, () => near)
      return { ask: 'notes', from, query: { kind: pick(random, NOTES), limit, ...given('before', before) } }
    }
    case 8:
      return { ask: 'usage', tenant }
    case 9:
      return { ask: 'get', tenant: known.tenants[0] ?? '', kind: pick(random, KEPT), id: pick(random, DOCUMENTS) }
    default:
      return { ask: 'pending', goOn, query: { tenant, limit, ...pendingFilter(random, known) } }
  }
}

function listFilter(random: Random, { agents }: Known): object {
  const [roll, agent, status] = [below(random, 4), pick(random, agents), pick(random, STATUSES)]
  const filter = [{}, {}, { agent }, { status }][roll] ?? {}
  return random() < 0.4 ? { ...filter, labels: someLabels(random) } : filter
}

function pendingFilter(random: Random, { agents, addresses }: Known): object {
  const filters = [
    { conversationId: pick(random, addresses).id },
    { callId: pick(random, CALLS) },
    { agent: pick(random, agents) },
    { tool: pick(random, TOOLS) },
    { kind: pick(random, KINDS) },
    { expiresBefore: NOON + below(random, 5) },
  ]
  const filter = random() < 0.4 ? {} : (Object.assign({}, ...some(random, filters).slice(0, 2)) as object)
  return random() < 0.3 ? { ...filter, any: randomAny(random) } : filter
}

function randomAny(random: Random): PendingQuery['any'] {
  return { labels: someLabels(random).slice(0, 2), conversationLabels: someLabels(random).slice(0, 2) }
}

function someLabels(random: Random): string[] {
  return random() < 0.2 ? [] : some(random, LABELS)
}

function randomNode(random: Random, known: Known): string {
  return pick(random, random() < 0.9 ? known.nodes : [...known.nodes, ...known.gone])
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T
}

function some<T>(random: Random, from: readonly T[]): T[] {
  return from.filter(() => random() < 0.6)
}

function maybe<T>(random: Random, chance: number, make: () => T): T | undefined {
  return random() < chance ? make() : undefined
}

function given<Name extends string, T>(name: Name, value: T | undefined): { readonly [name in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: T })
}
