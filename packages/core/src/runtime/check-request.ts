/** Ids, keys, limits and filters that come from outside, checked before they reach a store. */
import { HoldpointError } from '../failure.ts'
import { show } from '../json.ts'
import { agentLogId } from '../log/agent-log.ts'
import { checkKnown } from '../loop/check-send.ts'
import { SPACE } from '../log/space-event.ts'
import { TOOL_NAME } from '../tool/name.ts'
import type { ListFilter, PendingFilter } from './runtime-options.ts'

const LONGEST = 200
// Control characters and lone surrogates: some stores cannot keep them, and people cannot read them.
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u001f\u007f]|\p{Surrogate}/u

export function checkId(what: string, id: unknown): string {
  if (typeof id !== 'string' || id === '' || id.length > LONGEST || UNFIT.test(id))
    throw invalid(`${what} is text of 1 to ${LONGEST} characters without control characters, not ${show(id)}.`)
  return id
}

/** Of an agent that lives: its life must fit into the id of a conversation. */
export function checkAgentName(agent: unknown): string {
  const name = checkId('The name of an agent', checkNotSpace(agent))
  checkId('The name of an agent that lives', agentLogId(name))
  return name
}

/** Spaces are stored under that name, and no agent may have it. */
export function checkNotSpace<T>(agent: T): T {
  if (agent === SPACE) throw invalid(`No agent can be named "${SPACE}": spaces are kept under that name.`)
  return agent
}

/** The tenant may be empty: for those who need none. */
export function checkTenant(tenant: unknown): string {
  return tenant === '' ? tenant : checkId('A tenant', tenant)
}

/** A copy: the caller may change the original. */
export function checkToolNames(tools: unknown): readonly string[] {
  const names = Array.isArray(tools) ? [...(tools as readonly unknown[])] : []
  if (names.length === 0 || names.length > 100 || !names.every(isToolName))
    throw invalid(`"tools" is a list of 1 to 100 names of tools, not ${show(tools)}.`)
  return names as readonly string[]
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && TOOL_NAME.test(name)
}

export function checkLimit(limit: unknown = 50): number {
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw invalid(`"limit" is a whole number from 1 to 1000, not ${show(limit)}.`)
  return limit
}

export function checkSeq(what: string, seq: unknown): number {
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0)
    throw invalid(`"${what}" is the seq of an event, a whole number from 0, not ${show(seq)}.`)
  return seq
}

/** A misspelt option must not be taken for none: each request has one list of what it takes. */
export function checkOptions<T extends object>(options: T, known: Known<T>): T {
  checkKnown(options, known)
  return options
}

/** Every option by its name. */
type Known<T> = Readonly<Record<keyof T, unknown>>

export const OPTIONS = {
  create: { id: 1, agent: 1, by: 1 },
  send: { agent: 1, by: 1, key: 1, signal: 1, whileBusy: 1, maxSteps: 1, output: 1, structuredFinalize: 1, sender: 1 },
  resolve: { hold: 1, by: 1, kinds: 1, scope: 1 },
  approve: { input: 1, hold: 1, by: 1, kinds: 1, scope: 1 },
  call: { conversationId: 1 },
  view: { turns: 1, before: 1 },
  audit: { before: 1, limit: 1 },
  subscribe: { after: 1, signal: 1 },
} as const

export function checkBy(by: unknown): string | undefined {
  if (by !== undefined && typeof by !== 'string') throw invalid(`"by" is text that says who, not ${show(by)}.`)
  return by
}

export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw invalid(`"signal" is an AbortSignal, not ${show(signal)}.`)
  return signal
}

interface Rule {
  readonly fits: (value: unknown) => boolean
  readonly words: string
}

const text: Rule = { fits: (value) => typeof value === 'string', words: 'text' }

const place: Rule = { ...text, words: 'the `next` of an earlier page' }
const anyLimit: Rule = { fits: () => true, words: 'checked by itself' }

export const PENDING: Readonly<Record<keyof PendingFilter, Rule>> = {
  conversationId: text,
  callId: text,
  agent: text,
  tool: text,
  kind: oneOf('approval', 'elicitation', 'client', 'external'),
  expiresBefore: { fits: Number.isFinite, words: 'a time in milliseconds' },
  after: place,
  limit: anyLimit,
}

export const LIST: Readonly<Record<keyof ListFilter, Rule>> = {
  agent: text,
  status: oneOf('running', 'held', 'idle'),
  after: place,
  limit: anyLimit,
}

/** A filter that is not understood must not show more than was asked for. */
export function checkFilter<T extends { readonly limit?: number }>(
  filter: T,
  rules: Readonly<Record<keyof T, Rule>>,
): T & { readonly limit: number } {
  for (const [key, value] of Object.entries(checkOptions(filter, rules))) {
    const rule = rules[key as keyof T]
    if (value !== undefined && !rule.fits(value)) throw invalid(`"${key}" is ${rule.words}, not ${show(value)}.`)
  }
  return { ...filter, limit: checkLimit(filter.limit) }
}

function oneOf(...words: readonly string[]): Rule {
  return { fits: (value) => words.some((word) => word === value), words: words.join(' or ') }
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
