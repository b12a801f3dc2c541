/** Checks the options of a runtime when it opens. Otherwise, a wrong number of milliseconds would show hours later, or never. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { isDuration } from '@holdpoint/core/internal/duration'
import { isObject, describeValue } from '@holdpoint/core/internal/json'
import { isAgent } from '../node/agents.ts'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import { checkQuotas } from '../node/tenant-quotas.ts'
import type { RuntimeOptions } from './runtime-options.ts'

interface Rule {
  readonly fits: (value: unknown) => boolean
  readonly words: string
}

const above0: Rule = {
  fits: (value) => Number.isFinite(value) && Number(value) > 0,
  words: 'a number of milliseconds above 0',
}
const from0: Rule = {
  fits: (value) => Number.isFinite(value) && Number(value) >= 0,
  words: 'a number of milliseconds from 0',
}
const either: Rule = { fits: (value) => typeof value === 'boolean', words: 'true or false' }
const code: Rule = { fits: (value) => typeof value === 'function', words: 'a function' }

function having(words: string, ...members: readonly string[]): Rule {
  return {
    fits: (value) => isObject(value) && members.every((member) => typeof value[member] === 'function'),
    words,
  }
}

const SETTINGS: Readonly<Record<keyof RuntimeOptions, Rule>> = {
  store: having('a store, as sqliteStore() makes it', 'append', 'load', 'due', 'beat', 'listen'),
  agents: {
    fits: (value) => isListOfAgents(value) && value.length > 0,
    words: 'a list of at least one agent, as agent() makes them',
  },
  agentFor: code,
  ports: having('the clock and the random numbers of the host, as in nodePorts', 'monotonic', 'sleep', 'id'),
  scope: code,
  drive: either,
  news: either,
  leaseMs: above0,
  lookMs: above0,
  keepIdle: { fits: (value) => Number.isInteger(value) && Number(value) >= 0, words: 'a whole number from 0' },
  idleMs: from0,
  planEveryMs: from0,
  eraseAfter: {
    fits: (value) => typeof value === 'function' || isDuration(value),
    words: "a duration, such as '90 days', or a function that gives one for a conversation",
  },
  quotas: {
    fits: (value) => typeof value === 'function' || (isObject(value) && checkQuotas(value) === value),
    words: 'an object of quotas, or a function that gives one for a tenant',
  },
  rules: {
    fits: (value) => typeof value === 'boolean' || (isObject(value) && typeof value['judge'] === 'function'),
    words: 'true, false, or an evaluator, as cedarEvaluator() makes it',
  },
  signing: {
    fits: (value) =>
      isObject(value) &&
      isObject(value['key']) &&
      typeof value['key']['sign'] === 'function' &&
      (value['every'] === undefined || isDuration(value['every'])),
    words: 'an object { key, every }, with a key as signingKey() makes it, and a duration',
  },
  files: { fits: areFileLimits, words: '{ maxBytes, mediaTypes, keepUnusedMs }' },
  closeStore: either,
  graceMs: from0,
  onProblem: code,
  observer: having('an observer, as telemetry() makes it', 'wrote'),
  onQuotaReached: code,
}

const { closeStore: _closeStore, ...others } = SETTINGS

/** `places` is for a caller that opens the store itself: what it accepts instead of a store. */
export function checkRuntimeOptions(what: string, options: unknown, places?: string): void {
  const asks = isObject(options) && options['agentFor'] !== undefined
  const agents = asks ? { ...SETTINGS.agents, fits: isListOfAgents, words: 'a list of agents' } : SETTINGS.agents
  const needed = asks ? ['store'] : ['store', 'agents']
  if (places === undefined) return check(what, options, { ...SETTINGS, agents }, [...needed, 'ports'])
  const store: Rule = {
    fits: (value) => (typeof value === 'string' ? value !== '' : SETTINGS.store.fits(value)),
    words: `${places}, or a store`,
  }
  check(what, options, { ...others, store, agents }, needed)
}

function check(
  what: string,
  options: unknown,
  settings: Readonly<Record<string, Rule>>,
  needed: readonly string[],
): void {
  if (!isObject(options)) throw invalid(`${what} takes an object: { ${needed.join(', ')} }.`)
  const given: Readonly<Record<string, unknown>> = options
  for (const key of needed)
    if (given[key] === undefined) throw invalid(`${what} needs "${key}": ${settings[key]?.words}.`)
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(settings, key) ? settings[key] : undefined
    if (!rule) throw invalid(`${what}: there is no setting "${key}". It takes ${Object.keys(settings).join(', ')}.`)
    if (!rule.fits(value)) throw invalid(`${what}: "${key}" must be ${rule.words}, not ${shown(value)}.`)
  }
}

/** An object is not shown: it may hold secrets. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'this object' : describeValue(value)
}

function areFileLimits(value: unknown): boolean {
  if (!isObject(value)) return false
  const { maxBytes = 1, mediaTypes = [], keepUnusedMs = 1, ...rest } = value
  return (
    Object.keys(rest).length === 0 &&
    [maxBytes, keepUnusedMs].every((each) => Number.isInteger(each) && Number(each) >= 1) &&
    Array.isArray(mediaTypes) &&
    mediaTypes.every((each) => typeof each === 'string')
  )
}

function isListOfAgents(value: unknown): value is readonly Agent[] {
  return Array.isArray(value) && value.every(isAgent)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
