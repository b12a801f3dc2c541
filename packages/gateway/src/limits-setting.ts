/**
 * The operator's limits from the environment, as JSON because some limits have two numbers:
 * `{ "maxSteps": 20, "tenantRate": { "perSecond": 50, "burst": 100 } }`.
 */
import { HoldpointError, parseJson, type Json, type JsonObject } from '@holdpoint/core'
import { LIMITS, type Limits } from './gateway-options.ts'

export interface LimitsSetting extends Partial<Limits> {
  /** For the runtime: the shortest interval between two runs of a plan. */
  readonly planEveryMs?: number
}

export function limitsFromJson(text: string | undefined): LimitsSetting | undefined {
  if (text === undefined || text === '') return undefined
  const json = parseJson(text)
  if (!json.ok || !isObject(json.value)) throw invalidLimits('must be a JSON object, such as {"maxSteps":20}')
  const known: Readonly<Record<string, unknown>> = { ...LIMITS, planEveryMs: 0 }
  for (const [name, value] of Object.entries(json.value)) {
    const standard = Object.hasOwn(known, name) ? known[name] : undefined
    if (standard === undefined)
      throw invalidLimits(`has no limit "${name}". The limits are ${Object.keys(known).join(', ')}`)
    if (typeof standard === 'number' && !isAmount(value)) throw invalidLimits(`needs a number from 0 for "${name}"`)
    if (typeof standard === 'object' && !isRate(value))
      throw invalidLimits(`needs {"perSecond":10,"burst":20} with numbers above 0 for "${name}"`)
  }
  return json.value
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isRate(value: Json): boolean {
  return (
    isObject(value) &&
    Object.keys(value).toSorted().join() === 'burst,perSecond' &&
    Object.values(value).every((each) => isAmount(each) && each > 0)
  )
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalidLimits(what: string): HoldpointError {
  return new HoldpointError('config-invalid', `HOLDPOINT_LIMITS ${what}.`)
}
