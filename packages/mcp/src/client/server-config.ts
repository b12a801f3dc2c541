/**
 * The configuration of an MCP server, in the operator's code or in an agent as JSON. Only code can configure a local command
 * or an approval function.
 */
import { HoldpointError, isDuration, type Approval, type Duration, type JsonObject } from '@holdpoint/core'
import { z } from 'zod'

/** An MCP server that agents use. */
export interface McpServerConfig {
  /** The prefix of its tools: `name.tool`. */
  readonly name: string
  /** The address of a server over HTTP. */
  readonly url?: string
  readonly transport?: 'http' | 'stdio'
  /** Sent with every request. A secret is given by its name, and resolved for each request. */
  readonly headers?: Readonly<Record<string, string | { readonly $secret: string }>>
  /** The tools that may be used. Default: all. */
  readonly allowedTools?: readonly string[]
  /**
   * Whether calls of its tools need approval, as for any tool. A function gets the call, and is possible in code only. The
   * server's own annotations have no effect on it.
   */
  readonly approval?: Approval<JsonObject>
  /** The same for single tools, by the server's names. `approval` applies to all others. */
  readonly approvalByTool?: Readonly<Record<string, Approval<JsonObject>>>
  /** Whether people see calls of its tools. Default: no. Approvals and questions are always shown. */
  readonly visible?: boolean
  /** What to do with a call that may have run: our process died, or that of a legacy server. Default: `ask`. */
  readonly onLost?: 'retry' | 'fail' | 'ask'
  /** How long the server may take for a call, without the time of people. Default: 2 minutes. */
  readonly timeout?: Duration
  /** How long the server may work on a task, without the time of people. Default: 7 days. */
  readonly taskTimeout?: Duration
  /** How long a question of the server waits for its answer. Default: 7 days. */
  readonly questionTimeout?: Duration
}

/** A server that runs as a local process. In code only, because a command can do anything. */
export interface McpCommandConfig extends Omit<McpServerConfig, 'url' | 'headers'> {
  readonly transport: 'stdio'
  readonly command: string
  readonly args?: readonly string[]
  /** Its whole environment, besides PATH, HOME and similar variables. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export type AnyServer = McpServerConfig | McpCommandConfig

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/

const duration = z
  .custom<Duration>(isDuration, 'milliseconds above 0, or words like "30 seconds" or "2 days"')
  .optional()
const toolName = z.string().min(1).max(128)
const approvalData = z.union([
  z.enum(['auto', 'required']),
  z.boolean(),
  z.strictObject({
    required: z.boolean(),
    reason: z.string().max(1000).optional(),
    approvers: z.number().int().min(1).max(20).optional(),
    rules: z.literal('may-relax').optional(),
  }),
])
const approvalInCode = z.union([approvalData, z.custom((value) => typeof value === 'function')])
/** The fields of both kinds of server. */
const shared = <A extends z.ZodType>(approval: A) => ({
  name: z.string().regex(NAME, 'up to 32 letters, digits, "_" or "-", beginning with a letter or a digit'),
  allowedTools: z.array(toolName).max(500).optional(),
  approval: approval.optional(),
  approvalByTool: z.record(toolName, approval).optional(),
  visible: z.boolean().optional(),
  onLost: z.enum(['retry', 'fail', 'ask']).optional(),
  timeout: duration,
  questionTimeout: duration,
  taskTimeout: duration,
})
const header = z.union([z.string().max(8192), z.strictObject({ $secret: z.string().min(1).max(200) })])
const overHttp = <A extends z.ZodType>(approval: A) =>
  z.strictObject({
    ...shared(approval),
    url: z.url({ protocol: /^https?$/ }).max(2000),
    transport: z.literal('http').optional(),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), header).optional(),
  })
const ownOverHttp = overHttp(approvalInCode)
const configOverHttp = overHttp(approvalData)
const command = z.strictObject({
  ...shared(approvalInCode),
  transport: z.literal('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
})

/** Validates a server in the operator's code. */
export function checkServer(given: AnyServer): AnyServer {
  return validate(given.transport === 'stdio' ? command : ownOverHttp, given) as AnyServer
}

/** Validates a server of an agent as JSON, which is possible over HTTP only. */
export function checkConfigServer(given: unknown): McpServerConfig {
  const transport = typeof given === 'object' && given !== null && 'transport' in given ? given.transport : undefined
  if (transport === 'stdio' || (typeof given === 'object' && given !== null && 'command' in given))
    throw invalid('Only the operator can configure a server with a command, in code. Use a "url".')
  return validate(configOverHttp, given) as McpServerConfig
}

function validate(schema: z.ZodType, given: unknown): unknown {
  const checked = schema.safeParse(given)
  if (checked.success) return checkToolNames(checked.data as AnyServer)
  const [issue] = checked.error.issues
  const where = issue?.path.join('.') ?? ''
  throw invalid(
    `The configuration of an MCP server is invalid${where && `: "${where}"`}: ${issue?.message ?? 'unknown problem'}.`,
  )
}

/** A rule for a tool that is not allowed may be a misspelt name, whose calls would then run without approval. */
function checkToolNames(server: AnyServer): AnyServer {
  const { allowedTools, approvalByTool = {} } = server
  const other = Object.keys(approvalByTool).find((name) => allowedTools && !allowedTools.includes(name))
  if (other === undefined) return server
  throw invalid(
    `The configuration of an MCP server is invalid: "approvalByTool" names "${other}", which is not in "allowedTools".`,
  )
}

export function isCommand(server: AnyServer): server is McpCommandConfig {
  return server.transport === 'stdio'
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
