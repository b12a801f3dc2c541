/** Hooks as an agent and its plugins give them, checked and put together: the agent's own come first. */
import { isDuration } from '../duration.ts'
import { HoldpointError } from '../failure.ts'
import { isObject, describeValue } from '../json.ts'
import type { Hooks } from './hooks.ts'

export type AllHooks = Required<Hooks>

const PLACES = ['beforeMessage', 'beforeCall', 'afterMessage', 'onStream'] as const
const SETTINGS: Readonly<Record<(typeof PLACES)[number], readonly string[]>> = {
  beforeMessage: ['name', 'run', 'timeout', 'durable'],
  beforeCall: ['name', 'run', 'timeout'],
  afterMessage: ['name', 'run', 'timeout'],
  onStream: ['name', 'open'],
}

export function checkHooks(agent: string, given: readonly (Hooks | undefined)[]): AllHooks {
  for (const hooks of given) if (hooks !== undefined) check(agent, hooks)
  const all = given.flatMap((hooks) => hooks ?? [])
  return {
    beforeMessage: all.flatMap(({ beforeMessage = [] }) => beforeMessage),
    beforeCall: all.flatMap(({ beforeCall = [] }) => beforeCall),
    afterMessage: all.flatMap(({ afterMessage = [] }) => afterMessage),
    onStream: all.flatMap(({ onStream = [] }) => onStream),
    regenerations: all.find(({ regenerations }) => regenerations !== undefined)?.regenerations ?? 2,
  }
}

function check(agent: string, hooks: Hooks): void {
  const invalid = (what: string): HoldpointError => new HoldpointError('config-invalid', `Agent "${agent}": ${what}`)
  const given: unknown = hooks
  if (!isObject(given)) throw invalid(`"hooks" must be an object, not ${describeValue(given)}.`)
  const settings: readonly string[] = [...PLACES, 'regenerations']
  const unknown = Object.keys(given).find((key) => !settings.includes(key))
  if (unknown !== undefined) throw invalid(`there are no hooks "${unknown}". There are ${settings.join(', ')}.`)
  for (const place of PLACES) {
    const list = given[place] ?? []
    if (!Array.isArray(list)) throw invalid(`"hooks.${place}" must be a list of hooks, not ${describeValue(list)}.`)
    for (const each of list as unknown[]) {
      const hooks = place === 'beforeMessage' ? hooksIn(each) : [each]
      if (!hooks)
        throw invalid(`a group in "hooks.${place}" must be { parallel: [hooks] }, not ${describeValue(each)}.`)
      for (const hook of hooks) {
        const problem = problemOf(hook, place)
        if (problem !== undefined) throw invalid(`a hook in "hooks.${place}" ${problem}.`)
      }
    }
  }
  const { regenerations = 0 } = hooks
  if (!Number.isInteger(regenerations) || regenerations < 0)
    throw invalid(`"hooks.regenerations" must be a whole number from 0, not ${describeValue(regenerations)}.`)
}

/** Of a group those in it; nothing when it is not made as one. */
function hooksIn(given: unknown): readonly unknown[] | undefined {
  if (!isObject(given) || !('parallel' in given)) return [given]
  const { parallel } = given
  return Array.isArray(parallel) && Object.keys(given).length === 1 ? (parallel as unknown[]) : undefined
}

function problemOf(hook: unknown, place: (typeof PLACES)[number]): string | undefined {
  const does = place === 'onStream' ? 'open' : 'run'
  if (!isObject(hook)) return `is ${describeValue(hook)}, not an object with a name and ${does}()`
  const { name, timeout, durable } = hook
  if (typeof name !== 'string' || name === '') return 'has no "name", by which people will know what it did'
  if (typeof hook[does] !== 'function') return `("${name}") has no ${does}() function`
  const unknown = isPlain(hook) ? Object.keys(hook).find((key) => !SETTINGS[place].includes(key)) : undefined
  if (unknown !== undefined) return `("${name}") has no setting "${unknown}". It takes ${SETTINGS[place].join(', ')}`
  if (durable !== undefined && typeof durable !== 'boolean')
    return `("${name}") has a "durable" that is neither true nor false: ${describeValue(durable)}`
  if (timeout !== undefined && !isDuration(timeout))
    return `("${name}") has a timeout that is none: ${describeValue(timeout)}`
  return undefined
}

/** What is made by a class may have more about it than we know of. */
function isPlain(hook: object): boolean {
  return Object.getPrototypeOf(hook) === Object.prototype || Object.getPrototypeOf(hook) === null
}
