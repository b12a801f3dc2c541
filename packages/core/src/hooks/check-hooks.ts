/** Hooks as an agent and its plugins give them, checked and put together: the agent's own come first. */
import { milliseconds } from '../duration.ts'
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import type { Hooks } from './hooks.ts'

export type AllHooks = Required<Hooks>

const PLACES = ['beforeMessage', 'beforeCall', 'afterMessage', 'onStream'] as const

export function hooksOf(agent: string, given: readonly (Hooks | undefined)[]): AllHooks {
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
  if (!isObject(given)) throw invalid(`"hooks" must be an object, not ${show(given)}.`)
  const settings: readonly string[] = [...PLACES, 'regenerations']
  const unknown = Object.keys(given).find((key) => !settings.includes(key))
  if (unknown !== undefined) throw invalid(`there are no hooks "${unknown}". There are ${settings.join(', ')}.`)
  for (const place of PLACES) {
    const list = given[place] ?? []
    if (!Array.isArray(list)) throw invalid(`"hooks.${place}" must be a list of hooks, not ${show(list)}.`)
    for (const hook of list.flatMap((each: unknown) => group(each, place))) {
      const problem = problemOf(hook, place === 'onStream' ? 'open' : 'run')
      if (problem !== undefined) throw invalid(`a hook in "hooks.${place}" ${problem}.`)
    }
  }
  const { regenerations = 0 } = hooks
  if (!Number.isInteger(regenerations) || regenerations < 0)
    throw invalid(`"hooks.regenerations" must be a whole number from 0, not ${show(regenerations)}.`)
}

function group(hook: unknown, place: string): unknown[] {
  const parallel = place === 'beforeMessage' && isObject(hook) ? hook['parallel'] : undefined
  return Array.isArray(parallel) ? (parallel as unknown[]) : [hook]
}

function problemOf(hook: unknown, does: 'run' | 'open'): string | undefined {
  if (!isObject(hook)) return `is ${show(hook)}, not an object with a name and ${does}()`
  const { name, timeout } = hook
  if (typeof name !== 'string' || name === '') return 'has no "name", by which people will know what it did'
  if (typeof hook[does] !== 'function') return `("${name}") has no ${does}() function`
  if (timeout === undefined) return undefined
  try {
    milliseconds(timeout as never)
    return undefined
  } catch {
    return `("${name}") has a timeout that is none: ${show(timeout)}`
  }
}
