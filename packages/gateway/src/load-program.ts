/**
 * Loads the operator's module: its agents, and the models that agents created over HTTP may use. A module that needs
 * the store, for MCP servers for example, exports a default function that receives it.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '@holdpoint/core'
import type { RuntimeCallback, RuntimeEvents, RuntimeOptions } from '@holdpoint/runtime'
import { HoldpointError, type Agent, type Store } from 'holdpoint'
import { isPrices, type Prices } from './prices.ts'
import type { StoredAgentsOptions } from './stored-agents.ts'
import type { McpPorts } from './mcp-ports.ts'
import type { ChannelsOptions } from '@holdpoint/channels'

/** Exports that are options of the runtime. */
type RuntimeExport = 'scope' | 'quotas' | 'onQuotaReached' | 'eraseAfter' | 'rules'

export interface Program extends Pick<RuntimeOptions, RuntimeExport> {
  readonly agents?: readonly Agent[]
  readonly models?: StoredAgentsOptions['models']
  readonly secrets?: StoredAgentsOptions['secrets']
  /** Hosts in the operator's network that agents created over HTTP may call. */
  readonly privateHosts?: StoredAgentsOptions['privateHosts']
  /** Callbacks, as `runtime.on` takes them. */
  readonly on?: ProgramCallbacks
  /** Tells people of holds, and sends webhooks. */
  readonly channels?: ProgramChannels
  /** What models cost. */
  readonly prices?: Prices
  /** `servers` from `mcpServers()`, `ownServer` from `createMcpServer()`. */
  readonly mcp?: McpPorts & {
    readonly servers?: NonNullable<McpPorts['servers']> & NonNullable<StoredAgentsOptions['mcp']>
  }
}

/** `url` is where people reach the gateway. */
export type ProgramChannels = Pick<ChannelsOptions, 'url' | 'channels' | 'links' | 'handlers' | 'privateHosts'>

export type ProgramCallbacks = { readonly [E in keyof RuntimeEvents]?: RuntimeCallback<E> }

export interface LoadedProgram {
  readonly agents: readonly Agent[]
  readonly storedAgentsOptions: StoredAgentsOptions
  readonly mcp: McpPorts
  readonly channels?: ProgramChannels
  readonly on?: ProgramCallbacks
  readonly prices?: Prices
  readonly runtime: Pick<RuntimeOptions, RuntimeExport>
}

/** The check of each export. */
const EXPORTS: Readonly<Record<keyof Program, (value: unknown) => boolean>> = {
  agents: Array.isArray,
  models: isObject,
  secrets: isFunction,
  privateHosts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  mcp: isObject,
  channels: (value) => isObject(value) && 'url' in value && typeof value.url === 'string',
  prices: isPrices,
  scope: isFunction,
  on: (value) => isObject(value) && Object.values(value).every(isFunction),
  quotas: (value) => isFunction(value) || isObject(value),
  onQuotaReached: isFunction,
  eraseAfter: (value) => isFunction(value) || typeof value === 'string' || typeof value === 'number',
  rules: (value) => typeof value === 'boolean' || isEvaluator(value),
}
/** What each export must be, for error messages. */
const EXPECTED: Readonly<Record<keyof Program, string>> = {
  agents: 'an array of agents',
  models: 'an object of models by name',
  secrets: 'a function (tenant, name)',
  privateHosts: 'an array of host names',
  mcp: 'an object with `servers`, `ownServer` or both',
  channels: 'an object with the `url` of the gateway, and `channels`, `links` or `handlers`',
  prices:
    'an object with a `currency` such as "EUR", and `models`: `input`, `output` and `cached` for a million tokens',
  scope: 'a function (asker)',
  on: 'an object of callbacks, such as { held(hold) { … } }',
  quotas: 'an object of quotas, or a function (tenant)',
  onQuotaReached: 'a function (reached)',
  eraseAfter: 'a duration such as "90 days", or a function ({ tenant, agent })',
  rules: 'true, false, or an evaluator, as cedarEvaluator() makes it',
}

/** Imports the module before the store is opened, so that a wrong path does not leave a database file behind. */
export async function loadProgram(file: string | undefined): Promise<(store: Store) => Promise<LoadedProgram>> {
  if (file === undefined || file === '')
    throw invalid(
      'Set HOLDPOINT_APP=./app.ts to a module that exports `agents`, and `models` for agents created over HTTP.',
    )
  const { default: make, ...named } = await load(file)
  if (make === undefined) {
    const program = read(file, named)
    return async () => program
  }
  if (!isFunction(make)) throw invalid(`The default export of ${file} must be a function ({ store }), or absent.`)
  const [other] = Object.keys(named)
  if (other !== undefined)
    throw invalid(
      `${file} has a default export, so the export "${other}" is ignored. Return it from the default function.`,
    )
  return async (store) => read(file, await make({ store }))
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file)
  if (!existsSync(path)) throw invalid(`HOLDPOINT_APP is ${file}, but there is no file ${path}.`)
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error // The module's own code failed: keep its stack trace.
    throw new HoldpointError('config-invalid', messageOf(error), { cause: error })
  }
}

function read(file: string, given: unknown): LoadedProgram {
  if (!isObject(given)) throw invalid(`The default function of ${file} must return an object: { agents, models, mcp }.`)
  for (const [name, value] of Object.entries(given)) {
    if (!isExport(name)) throw invalid(`${file} exports "${name}", which is not a setting. It may export ${names()}.`)
    if (value !== undefined && !EXPORTS[name](value)) throw invalid(`\`${name}\` of ${file} must be ${EXPECTED[name]}.`)
  }
  const { agents = [], models = {}, secrets, privateHosts, mcp = {}, channels, prices, on, ...more } = given as Program
  const { scope, quotas, onQuotaReached, eraseAfter, rules } = more
  const storedAgentsOptions = {
    models,
    ...(secrets && { secrets }),
    ...(privateHosts && { privateHosts }),
    ...(mcp.servers && { mcp: mcp.servers }),
  }
  const runtime = {
    ...(scope && { scope }),
    ...(quotas && { quotas }),
    ...(onQuotaReached && { onQuotaReached }),
    ...(eraseAfter !== undefined && { eraseAfter }),
    ...(rules !== undefined && { rules }),
  }
  return {
    agents,
    storedAgentsOptions,
    mcp,
    runtime,
    ...(channels && { channels }),
    ...(prices && { prices }),
    ...(on && { on }),
  }
}

function names(): string {
  return `${Object.keys(EXPORTS).join(', ')}, or a default function that returns them`
}

function isExport(name: string): name is keyof Program {
  return Object.hasOwn(EXPORTS, name)
}

function isFunction(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

function isEvaluator(value: unknown): boolean {
  return isObject(value) && 'judge' in value && isFunction(value.judge)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
