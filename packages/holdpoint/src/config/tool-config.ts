/**
 * A tool as plain JSON: what can be said over HTTP, with no code. Whoever writes it may be a stranger, so everything is
 * read by name and within bounds, schemas are measured before they are compiled, requests leave through the guard of
 * `httpTool`, and secrets are said by name.
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
import { internalTool, tool } from '../tool.ts'
import type { ConfigEnv } from './config-env.ts'
import { at, either, Fields, given, isObject, line, object, oneOf, plainConfig, text, whole, wrong } from './fields.ts'
import { discreet, withSecrets, type ConfigHeaders } from './secrets.ts'

export interface ToolConfig {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /**
   * Who carries it out: we, by an HTTP call (`gateway`); another service, which posts the result (`external`); whoever
   * looks at the conversation, by a client (`space`); or nobody, since the arguments are the result (`internal`).
   */
  readonly executionType: 'gateway' | 'external' | 'space' | 'internal'
  /** Yes unless said; no for `internal`. */
  readonly visible?: boolean
  /** The model reads `pending` at once and goes on; for `external` and `space`. */
  readonly isAsync?: boolean
  /** Milliseconds; 30,000 unless said, and for what is async 7 days. */
  readonly timeout?: number
  /** For `gateway`. */
  readonly execution?: {
    readonly url: string
    readonly method?: (typeof METHODS)[number]
    readonly headers?: ConfigHeaders
  }
  readonly outputSchema?: JsonObject
  readonly approval?: 'auto' | 'required' | ApprovalRequest
  readonly onExpire?: OnExpire
  /** Where an answer goes that came too late; the inbox unless said. */
  readonly late?: 'reject' | 'inbox'
  readonly retention?: Retention
  readonly onLost?: 'retry' | 'fail' | 'ask'
  /** Milliseconds that a `space` call waits while no client is connected. */
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
  'execution',
  'outputSchema',
  'approval',
  'onExpire',
  'late',
  'retention',
  'onLost',
  'grace',
]
/** What is not for every kind. */
const ONLY: Readonly<Partial<Record<keyof ToolConfig, readonly Kind[]>>> = {
  execution: ['gateway'],
  onLost: ['gateway'],
  late: ['external', 'space'],
  grace: ['space'],
  outputSchema: ['gateway', 'external', 'space'],
}

const SECOND = 1000
const DAY = 86_400 * SECOND
const LONGEST_REQUEST = 600 * SECOND
const LONGEST_WAIT = 366 * DAY

/** Makes a tool of what a `ToolConfig` says, from wherever it comes. */
export function toolFromConfig(config: unknown, env: ConfigEnv = {}): Tool {
  return readTool(plainConfig(config, 'tool'), env, 'tool')
}

export function readTool(config: Json, env: ConfigEnv, path: string): Tool {
  const fields = new Fields(config, path, KEYS)
  const kind = fields.need('executionType', oneOf(...KINDS))
  for (const [key, kinds] of Object.entries(ONLY))
    if (fields.has(key) && !kinds.includes(kind))
      throw wrong(at(path, key), `is only for ${kinds.join(', ')} tools, and this is a tool of type ${kind}`)
  const isAsync = fields.maybe('isAsync', either) ?? false
  if (isAsync && (kind === 'gateway' || kind === 'internal'))
    throw wrong(at(path, 'isAsync'), `is only for external, space tools: the result of a ${kind} tool is there at once`)
  const common = readCommon(fields, kind, isAsync)
  return explained(path, () => {
    switch (kind) {
      case 'gateway':
        return gatewayTool(fields, common, env)
      case 'internal':
        return internalTool(common)
      case 'external':
        return tool({ ...common, ...readWaits(fields, isAsync), executor: 'external' })
      case 'space':
        return tool({
          ...common,
          ...readWaits(fields, isAsync),
          ...given({ grace: fields.maybe('grace', whole(1, LONGEST_WAIT)) }),
          executor: 'client',
        })
    }
  })
}

function readCommon(fields: Fields, kind: Kind, isAsync: boolean) {
  const longest = kind === 'gateway' ? LONGEST_REQUEST : LONGEST_WAIT
  return {
    name: fields.need('name', line(128)),
    description: fields.need('description', text(10_000, 1)),
    input: fields.need('inputSchema', object),
    timeout: fields.maybe('timeout', whole(1, longest)) ?? (isAsync ? 7 * DAY : 30 * SECOND),
    visible: fields.maybe('visible', either) ?? kind !== 'internal',
    ...given({
      output: fields.maybe('outputSchema', object),
      approval: fields.maybe('approval', approval),
      onExpire: fields.maybe('onExpire', onExpire),
      retention: fields.maybe('retention', retention),
    }),
  }
}

function readWaits(fields: Fields, async: boolean): { readonly async: boolean; readonly late: 'reject' | 'inbox' } {
  return { async, late: fields.maybe('late', oneOf('reject', 'inbox')) ?? 'inbox' }
}

function gatewayTool(fields: Fields, common: ReturnType<typeof readCommon>, env: ConfigEnv): Tool {
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
  // Other headers may mean another account: what was approved is not approved with them.
  const fingerprint = createHash('sha256')
    .update(canonical({ tool: made.fingerprint, headers }))
    .digest('hex')
  return { ...discreet(made), fingerprint }
}

const MOST_HEADERS = 32
const SECRET_NAME = /^[A-Za-z_][\w.-]{0,127}$/

function readHeaders(config: JsonObject, path: string, env: ConfigEnv): ConfigHeaders {
  const entries = Object.entries(config)
  if (entries.length > MOST_HEADERS) throw wrong(path, `there are ${entries.length}, and ${MOST_HEADERS} are allowed`)
  const headers = Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      isObject(value) ? secretOf(value, at(path, name), env) : text(8000)(value, at(path, name)),
    ]),
  )
  // The secrets are not known yet: their names stand for them.
  const sample = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : 'x'])
  const mistake = wrongHeader(Object.fromEntries(sample))
  if (mistake !== undefined) throw wrong(path, mistake)
  return headers
}

function secretOf(value: JsonObject, path: string, env: ConfigEnv): { readonly $secret: string } {
  const $secret = new Fields(value, path, ['$secret']).need('$secret', line(128))
  if (!SECRET_NAME.test($secret))
    throw wrong(at(path, '$secret'), 'must be the name of a secret: letters, digits, "_", "-" and "."')
  if (!env.secrets) throw wrong(at(path, '$secret'), 'is a secret, and there are none here')
  return { $secret }
}

/** Whether the operator said that this host may be called although it is not public. */
function isOwn(url: string, hosts: readonly string[]): boolean {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? ''
  if (!URL.canParse(`http://${authority}`)) return false
  const { host, hostname } = new URL(`http://${authority}`)
  return hosts.includes(host) || hosts.includes(hostname)
}

function approval(value: Json, path: string): 'auto' | 'required' | ApprovalRequest {
  if (!isObject(value)) return oneOf('auto', 'required')(value, path)
  const fields = new Fields(value, path, ['required', 'reason', 'approvers'])
  return {
    required: fields.need('required', either),
    ...given({ reason: fields.maybe('reason', text(2000)), approvers: fields.maybe('approvers', whole(1, 100)) }),
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

/** What the declaration of a tool has against it, said by the names that the configuration has for things. */
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

/** What only code can say, and what there is in its place. */
const OURS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Tool "[^"]*":? (?:(?:input|output):? )?/, ''],
  [/, or say "allowHttp: true".*$/, '.'],
  [/ If the tool is meant to call it, say "allowPrivate: true"\.$/, ' Only whoever runs this service can allow it.'],
]

const PLACES: ReadonlyArray<readonly [RegExp, string]> = [
  [/is not a tool name/, '.name'],
  [/^Tool "[^"]*": input\b/, '.inputSchema'],
  [/^Tool "[^"]*": output\b/, '.outputSchema'],
  [/"grace"/, '.grace'],
  [/"url"|address of/, '.execution.url'],
]
