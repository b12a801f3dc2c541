/** An agent: a model, what it may use, and the policies of its loop. Made once, used by any number of conversations. */
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import { encodeOutcome, type OutcomeEncoder } from '../model/encode-outcome.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { Plugin } from '../plugin/plugin.ts'
import { BUILT_IN } from '../life/built-in.ts'
import type { Autonomy } from './autonomy.ts'
import { Services } from '../plugin/services.ts'
import type { Ports } from '../ports.ts'
import type { OutcomeError } from '../tool/outcome.ts'
import type { StandardSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { vendorName } from '../tool/name.ts'
import type { WhileBusy } from '../turn/decide.ts'
import { checkAgent } from './check-agent.ts'
import { MAX_RESULT_BYTES } from './result-size.ts'
import { outputRule, type OutputRequest, type OutputRule } from './output.ts'
import type { RetryPolicy } from '../model/retry.ts'
import { auditFor, type AuditOptions } from '../audit/audit.ts'
import { contextOf, type Context } from '../context/context.ts'
import type { ContextOptions } from '../context/context-options.ts'
import { hooksOf, type AllHooks } from '../hooks/check-hooks.ts'
import type { Hooks } from '../hooks/hooks.ts'

export type OnToolError =
  | 'continue'
  | 'halt'
  | ((
      /** `input` is what the tool was called with. */
      call: { readonly id: string; readonly name: string; readonly input: Json },
      error: OutcomeError,
    ) => 'continue' | 'halt')

/** Asked before every model call but a turn's first; true ends the turn. */
export type StopWhen = (turn: {
  readonly step: number
  readonly tokens: number
  /** Of this turn, from its start. */
  readonly events: readonly LogEvent[]
}) => boolean | Promise<boolean>

export interface AgentOptions {
  readonly name: string
  readonly model: Model
  readonly instructions?: string
  readonly tools?: readonly Tool[]
  readonly plugins?: readonly Plugin<never, never>[] | readonly Plugin[]
  readonly services?: Services
  /** Model calls per turn. Default: 8. */
  readonly maxSteps?: number
  /** How much of the conversation the model is told, and what happens to the rest. */
  readonly context?: ContextOptions
  /** Code of yours at the places where it counts. */
  readonly hooks?: Hooks
  /** Keeps what exactly the model was sent, and what came of it, for a while. */
  readonly audit?: boolean | AuditOptions
  /** Asked in its place, in order, when the model fails before its first word and cannot be waited for. */
  readonly fallback?: readonly Model[]
  /** Tokens per turn, in and out together. */
  readonly maxTokens?: number
  /** Calls of one round that run at the same time. Default: 8. */
  readonly maxParallel?: number
  /** `manual`: server tools are not run, and need no `run`; the loop stops and hands the calls to the caller. */
  readonly mode?: 'auto' | 'manual'
  readonly onToolError?: OnToolError
  /** How large the result of a call may be, as JSON; 1 MB when not given. A tool may have a limit of its own. */
  readonly maxResultBytes?: number
  readonly stopWhen?: StopWhen
  /** What happens to a message that comes during a turn. Default: it is refused. */
  readonly whileBusy?: WhileBusy
  /** The result of each turn must fit this schema. */
  readonly output?: StandardSchema | OutputRequest
  /** Ask for that result in a second pass, after a tool loop without the constraint. */
  readonly structuredFinalize?: boolean
  readonly settings?: ModelSettings
  readonly retry?: Partial<RetryPolicy>
  /** How outcomes read to the model. */
  readonly encodeOutcome?: OutcomeEncoder
  /**
   * In a runtime, only messages that are sent with this symbol reach it, so that no other code path (REST, a space, a
   * trigger) can make it work. It has no life of its own.
   */
  readonly sender?: symbol
}

export interface Agent extends Required<
  Pick<
    AgentOptions,
    | 'name'
    | 'model'
    | 'instructions'
    | 'maxSteps'
    | 'maxParallel'
    | 'mode'
    | 'onToolError'
    | 'maxResultBytes'
    | 'whileBusy'
    | 'structuredFinalize'
    | 'settings'
    | 'retry'
    | 'encodeOutcome'
  >
> {
  readonly tools: readonly Tool[]
  /** The tools that are always there, by name. */
  readonly toolbox: Toolbox
  readonly plugins: readonly Plugin[]
  readonly services: Services
  readonly maxTokens: number | undefined
  readonly context: Context
  readonly hooks: AllHooks
  readonly fallback: readonly Model[]
  readonly audit: { readonly keepMs: number } | undefined
  readonly stopWhen: StopWhen | undefined
  readonly output: OutputRule | undefined
  readonly sender: symbol | undefined
  readonly ports: Ports
  /** Set while its own log is driven. */
  readonly autonomy: Autonomy | undefined
  /** Runs the plugins' `setup` once; every use of the agent waits for it. */
  ready(): Promise<ReadonlyMap<string, unknown>>
}

export function defineAgent(options: AgentOptions, ports: Ports): Agent {
  checkAgent(options)
  const { services = new Services() } = options
  const plugins: readonly Plugin[] = options.plugins ?? []
  const tools = [...(options.tools ?? []), ...plugins.flatMap((plugin) => plugin.tools)]
  // An agent that only its maker sends to never acts by itself, and so has none of the built-in tools.
  const taken = options.sender === undefined ? tools.find(({ name }) => BUILT_IN.has(name)) : undefined
  if (taken)
    throw invalid(`Agent "${options.name}": the tool "${taken.name}" has the name of a built-in tool. Rename it.`)
  let ready: Promise<ReadonlyMap<string, unknown>> | undefined
  return {
    name: options.name,
    model: options.model,
    instructions: options.instructions ?? '',
    tools,
    toolbox: toolboxOf({ name: options.name, mode: options.mode ?? 'auto' }, tools),
    plugins,
    services,
    maxSteps: options.maxSteps ?? 8,
    maxTokens: options.maxTokens,
    context: contextOf(options.name, options.context),
    hooks: hooksOf(options.name, [options.hooks, ...plugins.map((plugin) => plugin.hooks)]),
    fallback: options.fallback ?? [],
    audit: auditFor(options.audit),
    maxParallel: options.maxParallel ?? 8,
    mode: options.mode ?? 'auto',
    onToolError: options.onToolError ?? 'continue',
    maxResultBytes: options.maxResultBytes ?? MAX_RESULT_BYTES,
    stopWhen: options.stopWhen,
    whileBusy: options.whileBusy ?? 'refuse',
    output: options.output && outputRule(options.output, options.structuredFinalize ?? false, ports.compileJsonSchema),
    structuredFinalize: options.structuredFinalize ?? false,
    settings: options.settings ?? {},
    retry: options.retry ?? {},
    encodeOutcome: options.encodeOutcome ?? encodeOutcome,
    sender: options.sender,
    ports,
    autonomy: undefined,
    // A setup that failed is tried again by the next use.
    ready: () =>
      (ready ??= setUp(plugins, services).catch((error: unknown) => {
        ready = undefined
        throw error
      })),
  }
}

async function setUp(plugins: readonly Plugin[], services: Services): Promise<ReadonlyMap<string, unknown>> {
  const configs = new Map<string, unknown>()
  for (const plugin of plugins) {
    const config = await plugin.checkConfig()
    configs.set(plugin.id, config)
    await plugin.setup({ config, services })
  }
  return configs
}

export interface Toolbox {
  readonly tools: ReadonlyMap<string, Tool>
  /** From the vendors' form of a name to ours. */
  readonly names: ReadonlyMap<string, string>
}

/** Two tools must differ by name and by the form of it that vendors see. Without manual mode, each must have an executor. */
export function toolboxOf({ name, mode }: Pick<Agent, 'name' | 'mode'>, tools: readonly Tool[]): Toolbox {
  const what = `Agent "${name}"`
  const byName = new Map<string, Tool>()
  const byVendorName = new Map<string, string>()
  for (const tool of tools) {
    if (byName.has(tool.name))
      throw invalid(`${what} has two tools named "${tool.name}". Rename one, or leave one out.`)
    const form = tool.provider ? tool.name : vendorName(tool.name)
    const other = byVendorName.get(form)
    if (other !== undefined)
      throw invalid(`${what}: the tools "${other}" and "${tool.name}" look alike to vendors. Rename one.`)
    if (mode === 'auto' && tool.executor === 'server' && !tool.run && !tool.manual)
      throw invalid(
        `${what}: the tool "${tool.name}" has nothing to run. Give it "run", give it "manual: true" to carry it out yourself, say who carries it out with "executor" (human, client, external or provider), or make the agent with mode "manual".`,
      )
    byName.set(tool.name, tool)
    byVendorName.set(form, tool.name)
  }
  return { tools: byName, names: byVendorName }
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
