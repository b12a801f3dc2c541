/**
 * What the operator writes: a module with agents, and with the models that agents made over HTTP may use. Where it needs
 * the store, as MCP servers do, its default export is a function that is given it.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HoldpointError, type Agent, type Store } from 'holdpoint'
import type { Offer } from './agents-made-here.ts'
import type { McpPorts } from './mcp.ts'

export interface Program {
  readonly agents?: readonly Agent[]
  readonly models?: Offer['models']
  readonly secrets?: Offer['secrets']
  /** `servers` from `mcpServers()`, `face` from `mcpFace()`. */
  readonly mcp?: McpPorts & { readonly servers?: NonNullable<McpPorts['servers']> & NonNullable<Offer['mcp']> }
}

export interface ReadProgram {
  readonly agents: readonly Agent[]
  readonly offer: Offer
  readonly mcp: McpPorts
}

/** Read before a store is opened: a program that is not there leaves no file behind. */
export async function programOf(file: string | undefined): Promise<(store: Store) => Promise<ReadProgram>> {
  if (file === undefined)
    throw new HoldpointError(
      'config-invalid',
      'Say where your agents are: HOLDPOINT_APP=./app.ts, which exports `agents`, and `models` for agents made over HTTP.',
    )
  const found = (await import(pathToFileURL(resolve(file)).href)) as Program & { readonly default?: unknown }
  const make = found.default
  if (typeof make !== 'function') return async () => read(file, found)
  return async (store) => read(file, (await (make as (given: object) => unknown)({ store })) as Program)
}

function read(file: string, { agents = [], models = {}, secrets, mcp = {} }: Program): ReadProgram {
  if (!Array.isArray(agents))
    throw new HoldpointError('config-invalid', `${file} must export \`agents\`, a list of them.`)
  const offer = { models, ...(secrets && { secrets }), ...(mcp.servers && { mcp: mcp.servers }) }
  return { agents, offer, mcp }
}
