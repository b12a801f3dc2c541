/**
 * A plugin is tools, context and state under one id. `setup` runs once per agent. `prepare` runs before every model call: it reads
 * the state, and adds tools and texts to the prompt.
 */
import { HoldpointError } from '../failure.ts'
import type { Scope } from '../tool/context.ts'
import { describeValue } from '../json.ts'
import { losslessJson } from '../lossless-json.ts'
import type { Inbound } from '../log/message.ts'
import type { Plan } from '../plan/plan.ts'
import type { Checked } from '../ports.ts'
import { checkStandard, isStandard, type Infer, type StandardSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Services } from './services.ts'
import type { StateAccess } from './state.ts'

export interface Setup<C> {
  readonly config: C
  readonly services: Services
}

export interface Prepare<C, S = unknown> extends Setup<C> {
  /** The plugin itself, as the key to its state. */
  readonly self: Plugin<S>
  readonly conversation: {
    readonly tenant: string
    readonly id: string
    readonly turnId: string
    readonly step: number
    /** The items that arrived during the turn, and wait for the next one. */
    readonly queue: readonly Inbound[]
    readonly plans: readonly Plan[]
  }
  readonly scope: Scope
  readonly state: StateAccess
  /** The tools of this step. Push to it. */
  readonly tools: Tool[]
  /** System messages after the instructions. Push to it. They come early in the prompt, so a change makes vendors' caches useless. */
  readonly context: string[]
  /** Texts that are shown in this turn only, next to the message. Push to it. */
  readonly inject: string[]
}

export interface PluginOptions<C extends StandardSchema, S extends StandardSchema> {
  readonly id: string
  /** The schema of the plugin's settings, which its users give with `plugin.with({…})`. */
  readonly config?: C
  readonly state?: S
  /** The state of a conversation before the first write. */
  readonly initial?: Infer<S>
  /** A function if the tools use the plugin's own state: `tools: (self) => […]`. */
  readonly tools?: readonly Tool[] | ((self: Plugin<Infer<S>>) => readonly Tool[])
  readonly setup?: (setup: Setup<Infer<C>>) => void | Promise<void>
  readonly prepare?: (prepare: Prepare<Infer<C>, Infer<S>>) => void | Promise<void>
  readonly hooks?: Hooks
}

/** `S` is the type of the plugin's state, for `state.get(plugin)` and `state.set(plugin, value)`. */
export interface Plugin<S = unknown, C = unknown> {
  readonly id: string
  readonly config: unknown
  /** Validates the state. Undefined if any JSON is valid. */
  readonly state: { check(value: unknown): Checked | Promise<Checked> } | undefined
  readonly initial: S | undefined
  readonly tools: readonly Tool[]
  readonly hooks: Hooks | undefined
  /** The same plugin with other settings. They are validated when the agent is first used. */
  with(config: C): Plugin<S, C>
  checkConfig(): Promise<unknown>
  setup(setup: Setup<unknown>): void | Promise<void>
  prepare(prepare: Omit<Prepare<unknown>, 'self'>): void | Promise<void>
}

const PLUGIN_ID = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

export function definePlugin<C extends StandardSchema = StandardSchema, S extends StandardSchema = StandardSchema>(
  options: PluginOptions<C, S>,
): Plugin<Infer<S>, C extends StandardSchema<infer In> ? In : unknown> {
  const { id, state, config, initial } = options
  if (typeof id !== 'string' || !PLUGIN_ID.test(id)) {
    throw new HoldpointError(
      'config-invalid',
      `${describeValue(id)} is not a plugin id. Use a letter, then up to 63 letters, digits, "_", "-" or ".".`,
    )
  }
  for (const [key, schema] of Object.entries({ state, config })) {
    if (schema !== undefined && !isStandard(schema))
      throw new HoldpointError(
        'config-invalid',
        `Plugin "${id}": "${key}" must be a Standard Schema (Zod, Valibot, …).`,
      )
  }
  const first = losslessJson(initial)
  if (!first.ok) throw new HoldpointError('config-invalid', `Plugin "${id}": "initial" is not JSON: ${first.why}.`)
  return configured(options, {}) as Plugin<Infer<S>, never>
}

function configured(options: PluginOptions<StandardSchema, StandardSchema>, config: unknown): Plugin {
  const { id, initial, setup, prepare, state } = options
  const plugin: Plugin = {
    id,
    config,
    state: state && { check: (value) => checkStandard(state, value) },
    initial,
    hooks: options.hooks,
    get tools() {
      return tools
    },
    with: (given) => configured(options, given),
    checkConfig: async () => {
      if (!options.config) return config
      const checked = await checkStandard(options.config, config)
      if (checked.ok) return checked.value
      throw new HoldpointError(
        'config-invalid',
        `The config of plugin "${id}" does not fit its schema: ${checked.why}. Give it with plugin.with({ … }).`,
      )
    },
    setup: (given) => setup?.(given),
    prepare: (given) => prepare?.({ ...given, self: plugin }),
  }
  const tools = typeof options.tools === 'function' ? options.tools(plugin) : (options.tools ?? [])
  return plugin
}
