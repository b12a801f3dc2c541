/**
 * A plugin is tools, context and state under one id. `setup` runs once per agent, `prepare` before every model call:
 * it reads the state and pushes what the model shall see this time, tools made from data included.
 */
import { HoldpointError } from '../failure.ts'
import type { Scope } from '../tool/context.ts'
import { toSchema, type Infer, type Schema, type StandardSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { Services } from './services.ts'
import type { StateAccess } from './state.ts'

export interface Setup<C> {
  readonly config: C
  readonly services: Services
}

export interface Prepare<C> extends Setup<C> {
  readonly conversation: { readonly id: string; readonly turnId: string; readonly step: number }
  readonly scope: Scope
  readonly state: StateAccess
  /** What the model may call in this step; push to it. */
  readonly tools: Tool[]
  /** What the model is told besides the instructions; push to it. */
  readonly context: string[]
}

export interface PluginOptions<C extends StandardSchema, S extends StandardSchema> {
  readonly id: string
  /** What whoever uses the plugin may set, with `plugin.with({…})`. */
  readonly config?: C
  readonly state?: S
  /** The state of a conversation nobody has written to yet. */
  readonly initial?: Infer<S>
  readonly tools?: readonly Tool[]
  readonly setup?: (setup: Setup<Infer<C>>) => void | Promise<void>
  readonly prepare?: (prepare: Prepare<Infer<C>>) => void | Promise<void>
}

/** `S` is the type of the plugin's state, which `state.get(plugin)` and `state.set(plugin, value)` carry through. */
export interface Plugin<S = unknown, C = unknown> {
  readonly id: string
  readonly config: unknown
  readonly state: Schema | undefined
  readonly initial: S | undefined
  readonly tools: readonly Tool[]
  /** The same plugin with settings of its own; checked when the agent is first used. */
  with(config: C): Plugin<S, C>
  checkConfig(): Promise<unknown>
  setup(setup: Setup<unknown>): void | Promise<void>
  prepare(prepare: Prepare<unknown>): void | Promise<void>
}

const PLUGIN_ID = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

export function definePlugin<C extends StandardSchema = StandardSchema, S extends StandardSchema = StandardSchema>(
  options: PluginOptions<C, S>,
): Plugin<Infer<S>, C extends StandardSchema<infer In> ? In : unknown> {
  const { id, state } = options
  if (typeof id !== 'string' || !PLUGIN_ID.test(id)) {
    throw new HoldpointError('config-invalid', `${JSON.stringify(id)} is not a plugin id. Use a letter, then up to 63 letters, digits, "_", "-" or ".".`)
  }
  return configured(options, {}, state && toSchema(state, `Plugin "${id}": state`, undefined)) as Plugin<Infer<S>, never>
}

function configured(options: PluginOptions<StandardSchema, StandardSchema>, config: unknown, state: Schema | undefined): Plugin {
  const { id, initial, tools = [], setup, prepare } = options
  return {
    id,
    config,
    state,
    initial,
    tools,
    with: (given) => configured(options, given, state),
    checkConfig: async () => {
      if (!options.config) return config
      const checked = await toSchema(options.config, `Plugin "${id}": config`, undefined).check(config)
      if (checked.ok) return checked.value
      throw new HoldpointError('config-invalid', `The config of plugin "${id}" does not fit its schema: ${checked.why}. Give it with plugin.with({ … }).`)
    },
    setup: (given) => setup?.(given),
    prepare: (given) => prepare?.(given),
  }
}
