/** An agent as JSON, which tenants may define over HTTP. It refers to models and servers that the operator offers. */
import {
  HoldpointError,
  type Agent,
  type Budget,
  type ContextOptions,
  type Json,
  type JsonObject,
  type Model,
  type Plugin,
  type ModelSettings,
} from '@holdpoint/core'
import { agent } from '../agent.ts'
import type { ConfigEnv } from './config-env.ts'
import {
  at,
  either,
  Fields,
  given,
  isObject,
  line,
  listOf,
  number,
  object,
  oneOf,
  plainConfig,
  text,
  whole,
  wrong,
  type Read,
} from './fields.ts'
import { readSecret } from './secrets.ts'
import { schemasTogether } from './schemas-together.ts'
import { readTool, retention, type ToolConfig } from './tool-config.ts'

export interface AgentConfig {
  readonly name: string
  /** For people who choose an agent. The model does not read it. */
  readonly description?: string
  /** The name of one of the operator's models. */
  readonly model: string
  readonly instructions?: string
  readonly tools?: readonly ToolConfig[]
  /** MCP servers by HTTP: `name`, `url`, `headers`, `allowedTools`, …, as for `@holdpoint/mcp`. */
  readonly mcpServers?: readonly JsonObject[]
  /** An alias of `mcpServers`. */
  readonly mcp?: { readonly servers: readonly JsonObject[] }
  /** Model calls per turn. Default: 8. */
  readonly maxSteps?: number
  /** How much of the conversation the prompt shows. The model that writes summaries is given by name. */
  readonly context?: Omit<ContextOptions, 'count' | 'summarize'> & {
    readonly summarize?: Omit<NonNullable<ContextOptions['summarize']>, 'model'> & { readonly model?: string }
  }
  readonly whileBusy?: 'refuse' | 'queue' | 'supersede'
  /** `keep` is in milliseconds. */
  readonly audit?: boolean | { readonly keep?: number }
  /** Without headers and vendor settings, which only the operator sets, with the model. */
  readonly settings?: Omit<ModelSettings, 'headers' | 'provider'>
}

const KEYS: readonly (keyof AgentConfig)[] = [
  'name',
  'description',
  'model',
  'instructions',
  'tools',
  'mcpServers',
  'mcp',
  'maxSteps',
  'context',
  'whileBusy',
  'audit',
  'settings',
]
const MOST_TOOLS = 128
const MOST_SERVERS = 16
const MOST_STEPS = 1000

/** Makes an agent of an `AgentConfig`, which is validated first. */
export function agentFromConfig(config: unknown, env: ConfigEnv): Agent {
  const path = 'agent'
  const fields = new Fields(plainConfig(config, path), path, KEYS)
  fields.maybe('description', text(10_000))
  const name = fields.need('name', line(200))
  const model = fields.need('model', modelOf(env))
  const options = given({
    instructions: fields.maybe('instructions', text(200_000)),
    maxSteps: fields.maybe('maxSteps', stepsOf(env)),
    whileBusy: fields.maybe('whileBusy', oneOf('refuse', 'queue', 'supersede')),
    audit: fields.maybe('audit', audit),
    context: fields.maybe('context', contextOf(env)),
    settings: fields.maybe('settings', settings),
  })
  fields.maybe('tools', schemasTogether)
  const tools = fields.maybe(
    'tools',
    listOf((each, where) => readTool(each, env, where), MOST_TOOLS),
  )
  if (fields.has('mcp') && fields.has('mcpServers'))
    throw wrong(at(path, 'mcp'), 'is an alias of mcpServers: use only one of them')
  const plugin =
    fields.maybe('mcpServers', mcpOf(env)) ??
    fields.maybe('mcp', (value, where) => new Fields(value, where, ['servers']).need('servers', mcpOf(env)))
  try {
    return agent({
      name,
      model,
      ...options,
      tools: tools ?? [],
      ...(plugin && { plugins: [plugin] }),
      // Questions of a tool have schemas, too.
      ...(env.schemas && { ports: { compileJsonSchema: env.schemas.compileFor(env.tenant ?? '') } }),
    })
  } catch (error) {
    // Each setting is valid, but not in this combination.
    throw HoldpointError.is(error) ? wrong(path, error.message, error) : error
  }
}

/** Validates a new configuration: also that it respects the operator's limits and that its schemas compile. */
export async function checkAgentConfig(config: unknown, env: ConfigEnv): Promise<Agent> {
  const made = agentFromConfig(config, env)
  new Fields(plainConfig(config, 'agent'), 'agent', KEYS).maybe('maxSteps', whole(1, env.maxSteps ?? MOST_STEPS))
  for (const [index, { input, output }] of made.tools.entries())
    for (const [field, schema] of Object.entries({ inputSchema: input, outputSchema: output })) {
      const why = schema && (await env.schemas?.whyNot(env.tenant ?? '', schema.json))
      if (why !== undefined)
        throw wrong(`agent.tools[${index}].${field}`, `is not a JSON Schema that can be used: ${why}`)
    }
  return made
}

function stepsOf({ maxSteps = MOST_STEPS }: ConfigEnv): Read<number> {
  return (value, path) => Math.min(whole(1, MOST_STEPS)(value, path), maxSteps)
}

function mcpOf(env: ConfigEnv): Read<Plugin> {
  const { mcp, schemas, secrets, tenant = '' } = env
  return (value, path) => {
    const servers = listOf(serverOf(env), MOST_SERVERS)(value, path)
    if (!mcp) throw wrong(path, 'cannot be used here: the operator does not offer MCP')
    try {
      return mcp.pluginFor(tenant, servers, given({ compile: schemas?.compileFor(tenant), secrets }))
    } catch (error) {
      throw HoldpointError.is(error) ? wrong(path, error.message, error) : error
    }
  }
}

/** Reads only the secrets in the headers. `@holdpoint/mcp` validates the rest. */
function serverOf(env: ConfigEnv): Read<Json> {
  return (value, path) => {
    const headers = isObject(value) ? value['headers'] : undefined
    for (const [name, header] of Object.entries(headers !== undefined && isObject(headers) ? headers : {}))
      if (isObject(header)) readSecret(header, at(at(path, 'headers'), name), env)
    return value
  }
}

function modelOf({ models = {} }: ConfigEnv): Read<Model> {
  return (value, path) => {
    const name = line(200)(value, path)
    const found = Object.hasOwn(models, name) ? models[name] : undefined
    if (found) return found
    throw wrong(path, `is not one of the models here: ${Object.keys(models).join(', ') || 'there are none'}`)
  }
}

function audit(value: Json, path: string): boolean | { readonly keep?: number } {
  if (!isObject(value)) return either(value, path)
  const fields = new Fields(value, path, ['keep'])
  return given({ keep: fields.maybe('keep', whole(1, LONGEST_KEPT)) })
}

const LONGEST_KEPT = 10 * 366 * 86_400_000

function contextOf(env: ConfigEnv): Read<ContextOptions> {
  return (value, path) => {
    const fields = new Fields(value, path, ['budget', 'window', 'retention', 'ownWords', 'summarize'])
    return given({
      budget: fields.maybe('budget', (budget, where) =>
        isObject(budget) ? readBudget(budget, where) : whole(1)(budget, where),
      ),
      window: fields.maybe('window', window),
      retention: fields.maybe('retention', retention),
      ownWords: fields.maybe('ownWords', (own, where) => ({
        after: new Fields(own, where, ['after']).need('after', whole(1)),
      })),
      summarize: fields.maybe('summarize', (summarize, where) => {
        const inner = new Fields(summarize, where, ['model', 'instructions', 'from', 'chunk', 'length'])
        return given({
          model: inner.maybe('model', modelOf(env)),
          instructions: inner.maybe('instructions', text(20_000)),
          from: inner.maybe('from', part),
          chunk: inner.maybe('chunk', whole(1)),
          length: inner.maybe('length', whole(1)),
        })
      }),
    })
  }
}

function readBudget(value: Json, path: string): Budget {
  const parts = ['reserve', 'instructions', 'tools', 'summary', 'conversation', 'injected'] as const
  const fields = new Fields(value, path, ['tokens', ...parts])
  const rest = Object.fromEntries(parts.map((part) => [part, fields.maybe(part, whole(0))]))
  return { tokens: fields.need('tokens', whole(1)), ...given(rest) }
}

const part: Read<number> = (value, path) => {
  const found = number(value, path)
  if (found <= 0 || found > 1) throw wrong(path, 'must be a part of the whole, such as 0.75')
  return found
}

function window(value: Json, path: string): NonNullable<ContextOptions['window']> {
  const fields = new Fields(value, path, ['messages', 'turns', 'tokens'])
  const [key, ...more] = Object.keys(object(value, path)) as ('messages' | 'turns' | 'tokens')[]
  if (key === undefined || more.length > 0) throw wrong(path, 'takes one of messages, turns and tokens')
  const amount = fields.need(key, whole(1))
  return key === 'messages' ? { messages: amount } : key === 'turns' ? { turns: amount } : { tokens: amount }
}

function settings(value: Json, path: string): ModelSettings {
  if (isObject(value))
    for (const key of ['headers', 'provider'])
      if (Object.hasOwn(value, key)) throw wrong(at(path, key), 'can only be set by the operator who offers the model')
  const fields = new Fields(value, path, [
    'maxOutputTokens',
    'temperature',
    'topP',
    'topK',
    'presencePenalty',
    'frequencyPenalty',
    'stopSequences',
    'seed',
    'reasoning',
  ])
  return given({
    maxOutputTokens: fields.maybe('maxOutputTokens', whole(1)),
    temperature: fields.maybe('temperature', number),
    topP: fields.maybe('topP', number),
    topK: fields.maybe('topK', whole(0)),
    presencePenalty: fields.maybe('presencePenalty', number),
    frequencyPenalty: fields.maybe('frequencyPenalty', number),
    stopSequences: fields.maybe('stopSequences', listOf(text(200, 1), 16)),
    seed: fields.maybe('seed', whole(0)),
    reasoning: fields.maybe(
      'reasoning',
      oneOf('provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
    ),
  })
}
