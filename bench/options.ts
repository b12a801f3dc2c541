/** The arguments of `npm run bench --`: the benchmark, the store and the size of the run. */
import { parseArgs } from 'node:util'
import type { StoreKind } from './storage/requests.ts'
import type { Pace } from './storage/free-agent.ts'

export interface Options {
  readonly bench: string
  readonly store: StoreKind | undefined
  readonly model: Pace
  readonly turns?: number
  readonly conversations?: number
  readonly rounds?: number
  /** `live`: with and without the rules of who may see what, in place of the baselines. */
  readonly access: boolean
  /** `live`: with and without telemetry, in place of the baselines. */
  readonly telemetry: boolean
  readonly check: boolean
}

/** Invalid arguments; the message says which are valid. */
export class Misuse extends Error {}

const STORES: readonly StoreKind[] = ['sqlite', 'postgres']
const PACES: readonly Pace[] = ['later', 'now']

export function optionsOf(args: readonly string[], benches: readonly string[]): Options {
  const { values, positionals } = parsed(args)
  const [bench, ...more] = positionals
  if (more.length > 0) throw new Misuse(`Name only one benchmark. ${JSON.stringify(more.join(' '))} is not an option.`)
  return {
    bench: oneOf('benchmark', bench, benches),
    store: values.store === undefined ? undefined : oneOf('store', values.store, STORES),
    model: values.model === undefined ? 'later' : oneOf('model', values.model, PACES),
    ...count('turns', values.turns),
    ...count('conversations', values.conversations),
    ...count('rounds', values.rounds),
    access: values.access ?? false,
    telemetry: values.telemetry ?? false,
    check: values.check ?? false,
  }
}

export function storeOf({ bench, store }: Options): StoreKind {
  if (store) return store
  throw new Misuse(`Set the store for ${bench}: --store ${STORES.join(' or --store ')}.`)
}

const TEXT = { type: 'string' } as const
const FLAGS = {
  store: TEXT,
  model: TEXT,
  turns: TEXT,
  conversations: TEXT,
  rounds: TEXT,
  access: { type: 'boolean' },
  telemetry: { type: 'boolean' },
  check: { type: 'boolean' },
} as const

function parsed(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ allowPositionals: true; options: typeof FLAGS }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS })
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error))
  }
}

function oneOf<T extends string>(what: string, given: string | undefined, all: readonly T[]): T {
  const found = all.find((each) => each === given)
  if (found !== undefined) return found
  const which = given === undefined ? `Name the ${what}` : `There is no ${what} ${JSON.stringify(given)}`
  throw new Misuse(`${which}. There are: ${all.join(', ')}.`)
}

function count<N extends string>(name: N, given: string | undefined): { readonly [K in N]?: number } {
  if (given === undefined) return {}
  const number = Number(given)
  if (!Number.isInteger(number) || number < 1)
    throw new Misuse(`--${name} is a whole number above 0, not ${JSON.stringify(given)}.`)
  return { [name]: number } as { readonly [K in N]?: number }
}
