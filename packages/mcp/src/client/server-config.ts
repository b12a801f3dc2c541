/**
 * What is said of an MCP server, by the operator in code or by whoever defines an agent as JSON. The two differ in one
 * thing: a command that is started here is the operator's to say, and JSON has no word for it.
 */
import { HoldpointError, isDuration, type ApprovalRequest, type Duration } from '@holdpoint/core'
import { z } from 'zod'

/** What an MCP server is, and what of it may be used. */
export interface McpServer {
  /** Its tools are called `name.tool`. */
  readonly name: string
  /** Where it is, for one that is reached over HTTP. */
  readonly url?: string
  readonly transport?: 'http' | 'stdio'
  /** Sent with every request. A secret is said by its name, and asked for when it is needed. */
  readonly headers?: Readonly<Record<string, string | { readonly $secret: string }>>
  /** The tools that may be used; all of them unless said. */
  readonly allowedTools?: readonly string[]
  /** Who must agree to calls of its tools. What the server says of its own tools changes nothing about it. */
  readonly approval?: 'auto' | 'required' | ApprovalRequest
  /** What becomes of a call in doubt: our process died, or an older server's did. `ask` unless said. */
  readonly onLost?: 'retry' | 'fail' | 'ask'
  /** How long the server may take for a call, the time of people left out; 2 minutes unless said. */
  readonly timeout?: Duration
  /** How long the server may work on a task, the time of people left out; 7 days unless said. */
  readonly taskTimeout?: Duration
  /** How long a question of the server waits for its answer; 7 days unless said. */
  readonly questionTimeout?: Duration
}

/** A server that is started here. From code alone: whoever may say a command may do anything. */
export interface McpCommand extends Omit<McpServer, 'url' | 'headers'> {
  readonly transport: 'stdio'
  readonly command: string
  readonly args?: readonly string[]
  /** All of the environment it gets, beside PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export type AnyServer = McpServer | McpCommand

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/

const duration = z
  .custom<Duration>(isDuration, 'milliseconds above 0, or words like "30 seconds" or "2 days"')
  .optional()
const shared = {
  name: z.string().regex(NAME, 'up to 32 letters, digits, "_" or "-", beginning with a letter or a digit'),
  allowedTools: z.array(z.string().min(1).max(128)).max(500).optional(),
  approval: z
    .union([
      z.enum(['auto', 'required']),
      z.strictObject({
        required: z.boolean(),
        reason: z.string().max(1000).optional(),
        approvers: z.number().int().min(1).max(20).optional(),
      }),
    ])
    .optional(),
  onLost: z.enum(['retry', 'fail', 'ask']).optional(),
  timeout: duration,
  questionTimeout: duration,
  taskTimeout: duration,
}
const header = z.union([z.string().max(8192), z.strictObject({ $secret: z.string().min(1).max(200) })])
const overHttp = z.strictObject({
  ...shared,
  url: z.url({ protocol: /^https?$/ }).max(2000),
  transport: z.literal('http').optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), header).optional(),
})
const command = z.strictObject({
  ...shared,
  transport: z.literal('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
})

/** What an operator's program says. */
export function checkServer(given: AnyServer): AnyServer {
  return fits(given.transport === 'stdio' ? command : overHttp, given) as AnyServer
}

/** What an agent as JSON says: by HTTP alone. */
export function checkConfigServer(given: unknown): McpServer {
  const transport = typeof given === 'object' && given !== null && 'transport' in given ? given.transport : undefined
  if (transport === 'stdio' || (typeof given === 'object' && given !== null && 'command' in given))
    throw invalid('A server that is started by a command is for the operator to set up, in code. Give a "url".')
  return fits(overHttp, given) as McpServer
}

function fits(schema: z.ZodType, given: unknown): unknown {
  const checked = schema.safeParse(given)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const where = issue?.path.join('.') ?? ''
  throw invalid(`An MCP server is set up wrongly${where && `: "${where}"`}: ${issue?.message ?? 'it does not fit'}.`)
}

export function isCommand(server: AnyServer): server is McpCommand {
  return server.transport === 'stdio'
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
