/** Checks ids, keys, limits and filters of callers before they reach a store. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { describeValue } from '@holdpoint/core/internal/json'
import { agentLogId, agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import { checkKnown, checkSendOptions } from '../conversation/check-send.ts'
import { PRINCIPAL_INVALID, isPrincipalOrId } from '../conversation/check-principal.ts'
import { SPACE } from '@holdpoint/core/internal/log/space-event'
import { TOOL_NAME } from '@holdpoint/core/internal/tool/name'
import type { RuleFilter } from './rules.ts'
import type { ListFilter, PendingFilter, RuntimeSendOptions } from './runtime-options.ts'

const LONGEST = 200
// Control characters and lone surrogates: some databases cannot store them, and people cannot see them.
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u001f\u007f]|\p{Surrogate}/u

export function checkId(what: string, id: unknown): string {
  if (typeof id !== 'string' || id === '' || id.length > LONGEST || UNFIT.test(id))
    throw invalid(
      `${what} must be a string of 1 to ${LONGEST} characters without control characters, not ${describeValue(id)}.`,
    )
  return id
}

/** The name of an autonomous agent, which must be short enough for the id of its log. */
export function checkAgentName(agent: unknown): string {
  const name = checkId('The name of an agent', checkNotSpace(agent))
  checkId('The name of an autonomous agent', agentLogId(name))
  return name
}

/** The rows of spaces have this name as their agent, so no agent may have it. */
export function checkNotSpace<T>(agent: T): T {
  if (agent === SPACE) throw invalid(`No agent can be named "${SPACE}": the name is reserved for spaces.`)
  return agent
}

/** The empty tenant is for applications that need no tenants. */
export function checkTenant(tenant: unknown): string {
  return tenant === '' ? tenant : checkId('A tenant', tenant)
}

/** Returns a copy, because the caller may change the original. */
export function checkToolNames(tools: unknown): readonly string[] {
  const names = Array.isArray(tools) ? [...(tools as readonly unknown[])] : []
  if (names.length === 0 || names.length > 100 || !names.every(isToolName))
    throw invalid(`"tools" must be a list of 1 to 100 names of tools, not ${describeValue(tools)}.`)
  return names as readonly string[]
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && TOOL_NAME.test(name)
}

export function checkLimit(limit: unknown = 50): number {
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw invalid(`"limit" must be a whole number from 1 to 1000, not ${describeValue(limit)}.`)
  return limit
}

export function checkSeq(what: string, seq: unknown): number {
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0)
    throw invalid(`"${what}" must be the seq of an event, a whole number from 0, not ${describeValue(seq)}.`)
  return seq
}

/** Refuses unknown options: a misspelt one would be ignored. Each request has one list of its options. */
export function checkRequestOptions<T extends object>(options: T, known: Known<T>): T {
  checkKnown(options, known)
  return options
}

/** The names of all options. */
type Known<T> = Readonly<Record<keyof T, unknown>>

export const OPTIONS = {
  create: { id: 1, agent: 1, by: 1 },
  send: {
    agent: 1,
    by: 1,
    key: 1,
    trace: 1,
    signal: 1,
    whileBusy: 1,
    maxSteps: 1,
    output: 1,
    structuredFinalize: 1,
    sender: 1,
  },
  resolve: { hold: 1, by: 1, kinds: 1, scope: 1 },
  hold: { by: 1, hold: 1 },
  handOver: { to: 1, by: 1 },
  cancel: { by: 1 },
  erase: { by: 1, reason: 1, cancel: 1 },
  participants: { by: 1, add: 1, remove: 1, owner: 1 },
  approve: { input: 1, hold: 1, by: 1, kinds: 1, scope: 1 },
  call: { conversationId: 1 },
  view: { turns: 1, before: 1 },
  audit: { before: 1, limit: 1 },
  subscribe: { after: 1, signal: 1 },
  export: { id: 1 },
  import: { underWay: 1 },
  fork: { at: 1, to: 1, held: 1, by: 1 },
  replay: { agent: 1, instructions: 1, turn: 1, signal: 1, price: 1 },
  saveRule: { by: 1, id: 1, version: 1 },
  revokeRule: { by: 1, reason: 1, version: 1 },
  backtest: { since: 1, calls: 1 },
} as const

const LONGEST_REASON = 1000

export function checkReason(reason: unknown): string {
  if (typeof reason !== 'string' || reason.length > LONGEST_REASON)
    throw invalid(`"reason" is text of at most ${LONGEST_REASON} characters.`)
  return reason
}

export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw invalid(`"signal" must be an AbortSignal, not ${describeValue(signal)}.`)
  return signal
}

export function checkSend(id: string, options: RuntimeSendOptions): RuntimeSendOptions {
  const { agent, sender: _sender, ...rest } = checkRequestOptions(options, OPTIONS.send)
  checkSendOptions(rest)
  checkNotSpace(agent)
  if (options.key === undefined) return options
  const key = checkId('A key', options.key)
  // An autonomous agent's log has keys of our own, for its inbox: a caller's key must not equal one of them.
  return agentOfLog(id) === undefined ? options : { ...options, key: `said:${key}` }
}

export interface Rule {
  readonly fits: (value: unknown) => boolean
  readonly words: string
}

export const text: Rule = { fits: (value) => typeof value === 'string', words: 'text' }

export const place: Rule = { ...text, words: 'the `next` of an earlier page' }
export const time: Rule = { fits: Number.isFinite, words: 'a time in milliseconds' }
export const anyLimit: Rule = { fits: () => true, words: 'checked by itself' }

export const PENDING: Readonly<Record<keyof PendingFilter, Rule>> = {
  conversationId: text,
  callId: text,
  agent: text,
  tool: text,
  kind: oneOf('approval', 'elicitation', 'client', 'external'),
  expiresBefore: time,
  view: oneOf('mine', 'asked', 'all'),
  by: { fits: isPrincipalOrId, words: PRINCIPAL_INVALID },
  kinds: { fits: Array.isArray, words: 'a list of kinds of hold' },
  after: place,
  limit: anyLimit,
}

export const LIST: Readonly<Record<keyof ListFilter, Rule>> = {
  agent: text,
  participant: text,
  status: oneOf('running', 'held', 'idle'),
  after: place,
  limit: anyLimit,
}

export const RULES: Readonly<Record<keyof RuleFilter, Rule>> = {
  tool: text,
  search: text,
  after: place,
  limit: anyLimit,
}

/** Refuses an invalid filter: ignored, it would show more than the caller asked for. */
export function checkFilter<T extends { readonly limit?: number }>(
  filter: T,
  rules: Readonly<Record<keyof T, Rule>>,
): T & { readonly limit: number } {
  for (const [key, value] of Object.entries(checkRequestOptions(filter, rules))) {
    const rule = rules[key as keyof T]
    if (value !== undefined && !rule.fits(value))
      throw invalid(`"${key}" must be ${rule.words}, not ${describeValue(value)}.`)
  }
  return { ...filter, limit: checkLimit(filter.limit) }
}

export function oneOf(...words: readonly string[]): Rule {
  return { fits: (value) => words.some((word) => word === value), words: words.join(' or ') }
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
