/** What a runtime is opened with, checked before anything is: a wrong number of milliseconds shows hours later, or never. */
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import { isAgent } from './agents.ts'
import type { Agent } from '../loop/agent.ts'
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
  ports: having('the clock and the chance of the host, as nodePorts has them', 'monotonic', 'sleep', 'id'),
  scope: code,
  drive: either,
  leaseMs: above0,
  lookMs: above0,
  keepIdle: { fits: (value) => Number.isInteger(value) && Number(value) >= 0, words: 'a whole number from 0' },
  idleMs: from0,
  planEveryMs: from0,
  closeStore: either,
  graceMs: from0,
  onProblem: code,
  onHeld: code,
}

const { closeStore: _closeStore, ...others } = SETTINGS

/** `places` is for a caller that opens the store itself: what may be given in place of a store. */
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
    if (!rule.fits(value)) throw invalid(`${what}: "${key}" must be ${rule.words}, not ${told(value)}.`)
  }
}

/** Who gave an object knows which; it may hold what belongs in no message. */
function told(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'what was given' : show(value)
}

function isListOfAgents(value: unknown): value is readonly Agent[] {
  return Array.isArray(value) && value.every(isAgent)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
