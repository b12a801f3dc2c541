/**
 * A tool as JSON, without code, which can be sent over HTTP. Its author is not trusted: only known fields within their limits are
 * read, the sizes of schemas are checked before they are compiled, requests go through the address check of `httpTool`, and
 * secrets are given by name.
 */
import { createHash } from 'node:crypto'
import {
  canonical,
  HoldpointError,
  type ApprovalRequest,
  type Json,
  type JsonObject,
  type OnExpire,
  type Retention,
  type Tool,
} from '@holdpoint/core'
import { httpTool } from '../http-tool/http-tool.ts'
import { wrongHeader } from '../http-tool/headers.ts'
import { hidden } from '../http-tool/shown-url.ts'
import { internalTool, tool } from '../tool.ts'
import type { ConfigEnv } from './config-env.ts'
import { at, either, Fields, given, isObject, line, object, oneOf, plainConfig, text, whole, wrong } from './fields.ts'
import { schemaOf } from './schema-of.ts'
import { withoutLeakedSecrets, readSecret, withSecrets, type ConfigHeaders } from './secrets.ts'

export interface ToolConfig {
  readonly name: string
  /** The model reads it to choose a tool. Default: the name. */
  readonly description?: string
  /** Default: any object. */
  readonly inputSchema?: JsonObject
  /**
   * Which side runs the calls: the gateway, by an HTTP request (`gateway`); another service, which posts the result (`external`); a
   * client of the conversation (`space`); or none, because the input is the result (`internal`). With `execution.url`, a tool of
   * any type but `internal` is an HTTP request. Without it, a `gateway` tool is `external`.
   */
  readonly executionType: 'gateway' | 'external' | 'space' | 'internal'
  /** Default: true; false for `internal`. */
  readonly visible?: boolean
  /** The model reads `pending` at once and continues. No effect with `execution.url`, where the model gets the result at once. */
  readonly isAsync?: boolean
  /** Milliseconds that the model waits for the result. Default: 30,000. Not for async calls. */
  readonly timeout?: number
  /** Milliseconds after which an async call without a result expires. Default: 7 days. */
  readonly expiresAfter?: number
  /** For all but `internal`. */
  readonly execution?: {
    readonly url: string
    readonly method?: (typeof METHODS)[number]
    readonly headers?: ConfigHeaders
  }
  readonly outputSchema?: JsonObject
  readonly approval?: 'auto' | 'required' | ApprovalRequest
  readonly onExpire?: OnExpire
  /** What happens to an answer after the deadline: it is refused, or the agent gets it as a new message (`inbox`, the default). */
  readonly late?: 'reject' | 'inbox'
  /** The side that runs the call reports progress, and screens show it. Default: false. */
  readonly streaming?: boolean
  readonly retention?: Retention
  readonly onLost?: 'retry' | 'fail' | 'ask'
  /** Milliseconds that a `space` call waits while no client is connected. Default: `timeout`. */
  readonly grace?: number
}

type Kind = ToolConfig['executionType']

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const KINDS = ['gateway', 'external', 'space', 'internal'] as const
const KEYS: readonly (keyof ToolConfig)[] = [
  'name',
  'description',
  'inputSchema',
  'executionType',
  'visible',
  'isAsync',
  'timeout',
  'expiresAfter',
  'execution',
  'outputSchema',
  'approval',
  'onExpire',
  'late',
  'streaming',
  'retention',
  'onLost',
  'grace',
]
/** How a call gets its result. */
type Way = 'http' | 'external' | 'client' | 'internal'

/** Settings that are not for all tools, and the tools that they are for. */
const ONLY: Readonly<Partial<Record<keyof ToolConfig, { readonly ways: readonly Way[]; readonly who: string }>>> = {
  execution: { ways: ['http'], who: 'tools that are not internal' },
  outputSchema: { ways: ['http', 'external', 'client'], who: 'tools that are not internal' },
  onLost: { ways: ['http'], who: 'tools with execution.url' },
  late: { ways: ['external', 'client'], who: 'external, space and gateway tools without execution.url' },
  expiresAfter: { ways: ['external', 'client'], who: 'external, space and gateway tools without execution.url' },
  streaming: { ways: ['external', 'client'], who: 'external, space and gateway tools without execution.url' },
  grace: { ways: ['client'], who: 'space tools without execution.url' },
}

const SECOND = 1000
const DAY = 86_400 * SECOND
const LONGEST_REQUEST = 600 * SECOND
const LONGEST_WAIT = 366 * DAY

/** Makes a tool of a `ToolConfig`, which is validated first. */
export function toolFromConfig(config: unknown, env: ConfigEnv = {}): Tool {
  return readTool(plainConfig(config, 'tool'), env, 'tool')
}

export function readTool(config: Json, env: ConfigEnv, path: string): Tool {
  const fields = new Fields(config, path, KEYS)
  const kind = fields.need('executionType', oneOf(...KINDS))
  const way = wayOf(kind, fields.has('execution'))
  for (const [key, { ways, who }] of Object.entries(ONLY))
    if (fields.has(key) && !ways.includes(way)) throw wrong(at(path, key), `is only for ${who}`)
  const isAsync = fields.maybe('isAsync', either) ?? false
  if (isAsync && way === 'internal')
    throw wrong(at(path, 'isAsync'), 'is not for internal tools, which have their result at once')
  const common = { ...readCommon(fields, kind, env), timeout: readTimeout(fields, way, isAsync) }
  return explained(path, () => {
    switch (way) {
      case 'http':
        return requestTool(fields, common, env)
      case 'internal':
        return internalTool(common)
      case 'external':
        return tool({ ...common, ...readWaits(fields, isAsync), executor: 'external' })
      case 'client':
        return tool({
          ...common,
          ...readWaits(fields, isAsync),
          // A person answers the call, and may connect at any time before the deadline.
          grace: fields.maybe('grace', whole(1, LONGEST_WAIT)) ?? common.timeout,
          executor: 'client',
        })
    }
  })
}

function wayOf(kind: Kind, hasExecution: boolean): Way {
  if (kind === 'internal') return 'internal'
  if (hasExecution) return 'http'
  return kind === 'space' ? 'client' : 'external'
}

function readCommon(fields: Fields, kind: Kind, env: ConfigEnv) {
  const name = fields.need('name', line(128))
  return {
    name,
    description: fields.maybe('description', text(10_000, 1)) ?? name,
    input: fields.maybe('inputSchema', schemaOf(env)) ?? { type: 'object' },
    visible: fields.maybe('visible', either) ?? kind !== 'internal',
    ...given({
      output: fields.maybe('outputSchema', schemaOf(env)),
      approval: fields.maybe('approval', approval),
      onExpire: fields.maybe('onExpire', onExpire),
      retention: fields.maybe('retention', retention),
    }),
  }
}

/** The timeout of a call: `timeout` if the model waits for the result, `expiresAfter` for an async call. */
function readTimeout(fields: Fields, way: Way, isAsync: boolean): number {
  const timeout = fields.maybe('timeout', whole(1, way === 'http' ? LONGEST_REQUEST : LONGEST_WAIT)) ?? 30 * SECOND
  const expiresAfter = fields.maybe('expiresAfter', whole(1, LONGEST_WAIT))
  if (isAsync && way !== 'http') return expiresAfter ?? 7 * DAY
  if (expiresAfter !== undefined)
    throw wrong(at(fields.path, 'expiresAfter'), 'is only for async tools. The model waits for this one: use timeout')
  return timeout
}

interface Waits {
  readonly async: boolean
  readonly late?: 'reject' | 'inbox'
  readonly streaming?: boolean
}

function readWaits(fields: Fields, async: boolean): Waits {
  const late = fields.maybe('late', oneOf('reject', 'inbox'))
  return { async, ...given({ late, streaming: fields.maybe('streaming', either) }) }
}

function requestTool(
  fields: Fields,
  common: ReturnType<typeof readCommon> & { readonly timeout: number },
  env: ConfigEnv,
): Tool {
  const execution = new Fields(fields.need('execution', object), at(fields.path, 'execution'), [
    'url',
    'method',
    'headers',
  ])
  const url = execution.need('url', line(2000))
  const headers = readHeaders(execution.maybe('headers', object) ?? {}, at(execution.path, 'headers'), env)
  const made = httpTool({
    ...common,
    ...given({
      method: execution.maybe('method', oneOf(...METHODS)),
      onLost: fields.maybe('onLost', oneOf('retry', 'fail', 'ask')),
    }),
    url,
    headers: (context) => withSecrets(headers, env, context),
    allowPrivate: isOwn(url, env.privateHosts ?? []),
  })
  // Other headers may mean another account, so an approval must not be valid for them.
  const fingerprint = createHash('sha256')
    .update(canonical({ tool: made.fingerprint, headers }))
    .digest('hex')
  return {
    ...withoutLeakedSecrets(made),
    fingerprint,
    definition: { ...made.definition, headers: shownHeaders(headers) },
  }
}

/** An approver sees that a header has another value or another secret than before, but neither values nor names of secrets. */
function shownHeaders(headers: ConfigHeaders): Readonly<Record<string, string>> {
  const entries = Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' ? hidden(value) : `secret ${hidden(value.$secret)}`,
    ]),
  )
}

const MOST_HEADERS = 32

function readHeaders(config: JsonObject, path: string, env: ConfigEnv): ConfigHeaders {
  const entries = Object.entries(config)
  if (entries.length > MOST_HEADERS) throw wrong(path, `there are ${entries.length}, and ${MOST_HEADERS} are allowed`)
  const headers = Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      isObject(value) ? readSecret(value, at(path, name), env) : text(8000)(value, at(path, name)),
    ]),
  )
  // The values of secrets are not known yet, so this validates with a placeholder.
  const sample = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : 'x'])
  const mistake = wrongHeader(Object.fromEntries(sample))
  if (mistake !== undefined) throw wrong(path, mistake)
  return headers
}

/** Whether the operator allowed this private host. */
function isOwn(url: string, hosts: readonly string[]): boolean {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? ''
  if (!URL.canParse(`http://${authority}`)) return false
  const { host, hostname } = new URL(`http://${authority}`)
  return hosts.includes(host) || hosts.includes(hostname)
}

function approval(value: Json, path: string): 'auto' | 'required' | ApprovalRequest {
  if (!isObject(value)) return oneOf('auto', 'required')(value, path)
  const fields = new Fields(value, path, ['required', 'reason', 'approvers', 'rules'])
  return {
    required: fields.need('required', either),
    ...given({
      reason: fields.maybe('reason', text(2000)),
      approvers: fields.maybe('approvers', whole(1, 100)),
      rules: fields.maybe('rules', oneOf('may-relax')),
    }),
  }
}

function onExpire(value: Json, path: string): OnExpire {
  if (!isObject(value)) return oneOf('error', 'reject', 'cancel')(value, path)
  return { answer: new Fields(value, path, ['answer']).need('answer', (answer) => answer) }
}

export function retention(value: Json, path: string): Retention {
  if (!isObject(value)) return oneOf('keep')(value, path)
  const fields = new Fields(value, path, ['turns', 'last'])
  return given({ turns: fields.maybe('turns', whole(0)), last: fields.maybe('last', whole(0)) })
}

/** Runs `define`. Translates its error to the names of the configuration. */
function explained<T>(path: string, define: () => T): T {
  try {
    return define()
  } catch (error) {
    if (!HoldpointError.is(error) || error.code === 'config-invalid') throw error
    const [, field] = PLACES.find(([words]) => words.test(error.message)) ?? [undefined, '']
    const said = OURS.reduce((message, [words, instead]) => message.replace(words, instead), error.message)
    throw wrong(`${path}${field}`, said, error)
  }
}

/** Advice in errors that only code can follow, and its replacement. */
const OURS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Tool "[^"]*":? (?:(?:input|output):? )?/, ''],
  [/, or say "allowHttp: true".*$/, '.'],
  [/ If the tool is meant to call it, say "allowPrivate: true"\.$/, ' Only the operator can allow it.'],
]

const PLACES: ReadonlyArray<readonly [RegExp, string]> = [
  [/is not a tool name/, '.name'],
  [/^Tool "[^"]*": input\b/, '.inputSchema'],
  [/^Tool "[^"]*": output\b/, '.outputSchema'],
  [/"grace"/, '.grace'],
  [/"url"|address of/, '.execution.url'],
]
