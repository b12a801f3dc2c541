/** Checks the options of an agent when it is defined, for code without types and for configuration files. */
import type { AuditOptions } from '../audit/audit.ts'
import { isDuration } from '../duration.ts'
import { HoldpointError } from '../failure.ts'
import { isObject, describeValue } from '../json.ts'
import type { RetryPolicy } from '../model/retry.ts'
import { Services } from '../plugin/services.ts'
import type { AgentOptions } from './agent.ts'

interface Rule {
  readonly fits: (value: unknown) => boolean
  readonly words: string
}

const count: Rule = { fits: (value) => Number.isInteger(value) && Number(value) >= 1, words: 'a whole number from 1' }
const text: Rule = { fits: (value) => typeof value === 'string', words: 'text' }
const code: Rule = { fits: (value) => typeof value === 'function', words: 'a function' }
const record: Rule = { fits: isObject, words: 'an object' }
const either: Rule = { fits: (value) => typeof value === 'boolean', words: 'true or false' }

function oneOf(...words: readonly string[]): Rule {
  return { fits: (value) => typeof value === 'string' && words.includes(value), words: words.join(' or ') }
}

function listOf(what: string, fits: (item: unknown) => boolean): Rule {
  return { fits: (value) => Array.isArray(value) && value.every(fits), words: `a list of ${what}` }
}

const SETTINGS: Readonly<Record<keyof AgentOptions, Rule>> = {
  name: text,
  model: record,
  instructions: text,
  tools: listOf('tools, as tool() makes them', (item) => isObject(item) && typeof item['fingerprint'] === 'string'),
  plugins: listOf('plugins, as definePlugin() makes them', (item) => isObject(item) && typeof item['id'] === 'string'),
  services: { fits: (value) => value instanceof Services, words: 'a Services container' },
  maxSteps: count,
  maxTokens: count,
  context: record,
  audit: { fits: (value) => typeof value === 'boolean' || isObject(value), words: 'true, false or { keep }' },
  eraseAfter: { fits: isDuration, words: "a duration, such as '90 days'" },
  hooks: record,
  fallback: listOf('models', (item) => isObject(item) && typeof item['stream'] === 'function'),
  maxParallel: count,
  mode: oneOf('auto', 'manual'),
  onToolError: {
    fits: (value) => code.fits(value) || value === 'continue' || value === 'halt',
    words: 'continue or halt',
  },
  maxResultBytes: count,
  stopWhen: code,
  whileBusy: oneOf('refuse', 'queue', 'supersede'),
  output: { fits: (value) => isObject(value) || code.fits(value), words: 'a schema' },
  structuredFinalize: either,
  settings: record,
  retry: record,
  encodeOutcome: code,
  sender: { fits: (value) => typeof value === 'symbol', words: 'a symbol' },
}

const delay: Rule = {
  fits: (value) => Number.isFinite(value) && Number(value) >= 0,
  words: 'a number of milliseconds',
}
const RETRY: Readonly<Record<keyof RetryPolicy, Rule>> = { attempts: count, firstDelayMs: delay, maxDelayMs: delay }
const AUDIT: Readonly<Record<keyof AuditOptions, Rule>> = {
  keep: { fits: isDuration, words: "a duration, such as '7 days'" },
}

export function checkAgent(options: AgentOptions): void {
  if (!isObject(options)) throw invalid('An agent is defined with an object: agent({ name, model, tools }).')
  const { name, model, plugins = [] } = options as AgentOptions
  if (typeof name !== 'string' || name === '') throw invalid('An agent needs a "name".')
  if (typeof model?.stream !== 'function') {
    throw invalid(
      `Agent "${name}" needs a "model" with a stream() method. For an AI SDK provider, wrap it: aiSdkModel(openai('…')).`,
    )
  }
  for (const [key, value] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(SETTINGS, key) ? SETTINGS[key as keyof AgentOptions] : undefined
    if (!rule)
      throw invalid(`Agent "${name}": there is no setting "${key}". It takes ${Object.keys(SETTINGS).join(', ')}.`)
    if (!rule.fits(value))
      throw invalid(`Agent "${name}": "${key}" must be ${rule.words}, not ${describeValue(value)}.`)
  }
  checkParts(name, 'retry', options.retry, RETRY)
  if (typeof options.audit === 'object') checkParts(name, 'audit', options.audit, AUDIT)
  const ids = plugins.map((plugin) => plugin.id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid(`Agent "${name}" has two plugins with the id "${twice}".`)
}

function checkParts(agent: string, setting: string, given: object = {}, rules: Readonly<Record<string, Rule>>): void {
  for (const [key, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
    if (!rule) {
      const all = Object.keys(rules).join(', ')
      throw invalid(`Agent "${agent}": "${setting}" has no setting "${key}". It takes ${all}.`)
    }
    if (value !== undefined && !rule.fits(value))
      throw invalid(`Agent "${agent}": "${setting}.${key}" must be ${rule.words}, not ${describeValue(value)}.`)
  }
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
