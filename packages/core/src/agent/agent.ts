/** An agent: a model, its tools and its settings. It is made once and used by any number of conversations. */
import { milliseconds, type Duration } from '../duration.ts'
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import { encodeOutcome, type OutcomeEncoder } from '../model/encode-outcome.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { Plugin } from '../plugin/plugin.ts'
import { BUILT_IN } from './built-in-tools.ts'
import type { Autonomy } from './autonomy.ts'
import { Services } from '../plugin/services.ts'
import type { Ports } from '../ports.ts'
import type { OutcomeError } from '../tool/outcome.ts'
import type { StandardSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { vendorName } from '../tool/name.ts'
import type { WhileBusy } from '../turn/decide.ts'
import { checkAgent } from './check-agent.ts'
import { outputRule, type OutputRequest, type OutputRule } from './output.ts'
import type { RetryPolicy } from '../model/retry.ts'
import { auditFor, type AuditOptions } from '../audit/audit.ts'
import { contextOf, type Context } from '../context/context.ts'
import type { ContextOptions } from '../context/context-options.ts'
import { checkHooks, type AllHooks } from '../hooks/check-hooks.ts'
import type { Hooks } from '../hooks/hooks.ts'

/** The largest result of a call, unless the tool or the agent sets another limit. */
const MAX_RESULT_BYTES = 1_048_576

export type OnToolError =
  | 'continue'
  | 'halt'
  | ((
      /** `input` is what the tool was called with. */
      call: { readonly id: string; readonly name: string; readonly input: Json },
      error: OutcomeError,
    ) => 'continue' | 'halt')

/** Called before each model call of a turn except the first. `true` ends the turn. */
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
  /** How much of the conversation is in the prompt, and what happens to the rest. */
  readonly context?: ContextOptions
  /** Functions that run before a message, before a call, after a message, or on the stream. */
  readonly hooks?: Hooks
  /** Keeps a record of each exact request to the model, for a while. */
  readonly audit?: boolean | AuditOptions
  /** Its conversations are erased when nothing happened in them for so long: `'90 days'`. Default: they stay. */
  readonly eraseAfter?: Duration
  /** Models to call instead, in order, when the model fails before the first piece of its reply and no retry is left. */
  readonly fallback?: readonly Model[]
  /** Tokens per turn, in and out together. */
  readonly maxTokens?: number
  /** Calls of one round that run at the same time. Default: 8. */
  readonly maxParallel?: number
  /** `manual`: server tools are not run and need no `run`. The turn stops, and the caller runs the calls. */
  readonly mode?: 'auto' | 'manual'
  readonly onToolError?: OnToolError
  /** The largest result of a call, as JSON. Default: 1 MB. A tool may set its own limit. */
  readonly maxResultBytes?: number
  readonly stopWhen?: StopWhen
  /** What happens to a message that arrives during a turn. Default: it is refused. */
  readonly whileBusy?: WhileBusy
  /** The schema of each turn's output. */
  readonly output?: StandardSchema | OutputRequest
  /** Requests the output in a second pass, after a tool loop without the schema. */
  readonly structuredFinalize?: boolean
  readonly settings?: ModelSettings
  readonly retry?: Partial<RetryPolicy>
  /** Encodes outcomes for the model. */
  readonly encodeOutcome?: OutcomeEncoder
  /**
   * In a runtime, the agent accepts only messages that are sent with this symbol, so that no other code path (REST, a space,
   * a trigger) can start it. Such an agent cannot be autonomous.
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
  /** The agent's own tools, by name. */
  readonly toolbox: Toolbox
  readonly plugins: readonly Plugin[]
  readonly services: Services
  readonly maxTokens: number | undefined
  readonly context: Context
  readonly hooks: AllHooks
  readonly fallback: readonly Model[]
  readonly audit: { readonly keepMs: number } | undefined
  readonly eraseAfterMs: number | undefined
  readonly stopWhen: StopWhen | undefined
  readonly output: OutputRule | undefined
  readonly sender: symbol | undefined
  readonly ports: Ports
  /** Set when the agent is autonomous and its own log is driven. */
  readonly autonomy: Autonomy | undefined
  /** Runs the plugins' `setup` once; every use of the agent waits for it. */
  ready(): Promise<ReadonlyMap<string, unknown>>
}

export function defineAgent(options: AgentOptions, ports: Ports): Agent {
  checkAgent(options)
  const { services = new Services() } = options
  const plugins: readonly Plugin[] = options.plugins ?? []
  const tools = [...(options.tools ?? []), ...plugins.flatMap((plugin) => plugin.tools)]
  // An agent with a `sender` cannot be autonomous, so it has no built-in tools to clash with.
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
    hooks: checkHooks(options.name, [options.hooks, ...plugins.map((plugin) => plugin.hooks)]),
    fallback: options.fallback ?? [],
    audit: auditFor(options.audit),
    eraseAfterMs: options.eraseAfter === undefined ? undefined : milliseconds(options.eraseAfter),
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
    // The next use of the agent tries a failed setup again.
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
  /** Tool names by the form that vendors accept. */
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
        `${what}: the tool "${tool.name}" has nothing to run. Add "run", set "executor" (human, client, external or provider), set "manual: true" to run its calls yourself, or make the agent with mode "manual".`,
      )
    byName.set(tool.name, tool)
    byVendorName.set(form, tool.name)
  }
  return { tools: byName, names: byVendorName }
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
