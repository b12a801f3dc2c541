/**
 * The schemas of requests and responses, for validation and for the OpenAPI document. Requests are strict: a misspelt
 * property is refused. Responses are described as far as a client needs; the runtime's types have the rest.
 */
import { z } from '@hono/zod-openapi'
import type { Member, Role } from '@holdpoint/core'
import { decodeClientTools, type Scope } from '@holdpoint/protocol'
import { SCOPES } from './auth/caller.ts'

export { z }

const MAX_ID_LENGTH = 200

export const id: z.ZodString = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'has control characters')
  // Not a regex: it would need the `u` flag, which OpenAPI cannot express.
  .refine((text) => text.isWellFormed(), 'has half a surrogate pair')
  // URL parsers remove these segments, so such an id could not be addressed.
  .regex(/^(?!\.\.?$)/, 'must not be "." or ".."')

/** `''` is the tenant of a deployment without tenants. */
export const tenantName: z.ZodUnion<readonly [z.ZodLiteral<''>, z.ZodString]> = z.union([z.literal(''), id])
export const tenantList: z.ZodArray<typeof tenantName> = z.array(tenantName).min(1).max(100)

/** Any JSON. */
export const json: z.ZodUnknown = z.unknown().openapi({ description: 'Any JSON.' })

export const limit: z.ZodOptional<z.ZodCoercedNumber> = z.coerce.number().int().min(1).max(1000).optional()
export const after: z.ZodOptional<z.ZodString> = z.string().max(1000).optional()
export const seconds = (most: number): z.ZodOptional<z.ZodCoercedNumber> =>
  z.coerce.number().min(0).max(most).optional()

/** For a page that opens before the first message: a missing conversation is then not a problem. */
export const missing: z.ZodOptional<z.ZodEnum<{ ok: 'ok' }>> = z
  .enum(['ok'])
  .optional()
  .openapi({ description: '`ok`: a conversation that does not exist yet is not a problem.' })

/** The client tools that the stream's reader can run. */
export const tools: z.ZodOptional<z.ZodType<readonly string[], string>> = z
  .string()
  .transform((text, context) => {
    const names = decodeClientTools(text)
    if (names) return names
    context.addIssue({ code: 'custom', message: 'must be 1 to 100 tool names, separated by commas' })
    return z.NEVER
  })
  .optional()
  .openapi({ type: 'string', description: 'Names of client tools that this reader can run, separated by commas.' })

export const by: z.ZodOptional<z.ZodString> = id.optional()

export function listOf<T extends z.ZodType>(
  item: T,
): z.ZodObject<{ items: z.ZodArray<T>; next: z.ZodOptional<z.ZodString> }> {
  return z.object({ items: z.array(item), next: z.string().optional() })
}

export const scope: z.ZodType<Scope> = z.enum(SCOPES)

export const problem: z.ZodType = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    issues: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
  })
  .openapi('Problem')

export const view: z.ZodType = z
  .looseObject({
    from: z.number().int(),
    seq: z.number().int(),
    agent: z.string(),
    status: z.enum(['running', 'held', 'idle']),
    turns: z.array(z.looseObject({ turnId: z.string() })),
    queue: z.array(json),
    waiting: z.array(json),
    live: z.looseObject({}),
  })
  .openapi('View')

export const logEvent: z.ZodType = z
  .looseObject({ seq: z.number().int(), at: z.number(), type: z.string() })
  .openapi('LogEvent')

const definition = z
  .looseObject({
    description: z.string(),
    executor: z.enum(['server', 'client', 'external', 'human', 'provider']),
    input: json,
    output: json.optional(),
    method: z.string().optional(),
    url: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    server: z.object({ name: z.string(), at: z.string() }).optional(),
    annotations: json.optional(),
    task: z.string().optional(),
  })
  .openapi('ToolDefinition', { description: 'The definition of a tool as an approver sees it.' })

export const names: z.ZodRecord<z.ZodString, z.ZodString> = z
  .record(z.string(), z.string())
  .openapi({ description: 'The display names of the people in it, by id. A person without one has the id as name.' })

const author = z
  .object({
    via: z.enum(['message', 'space', 'trigger', 'plan', 'inbox']),
    by: z.string().optional(),
    kind: z.enum(['human', 'agent']).optional(),
    space: z.string().optional(),
    requesters: z
      .union([z.array(z.string()), z.literal('many')])
      .optional()
      .openapi({ description: 'The people on whose behalf an agent wrote it. `many`: too many to name.' }),
  })
  .openapi('Author')

export const hold: z.ZodType = z
  .looseObject({
    conversationId: z.string(),
    callId: z.string(),
    agent: z.string(),
    name: z.string(),
    kind: z.enum(['approval', 'elicitation', 'client', 'external']),
    input: json,
    heldAt: z.number(),
    expiresAt: z.number(),
    accepts: z.array(z.enum(['approve', 'reject', 'answer'])),
    nth: z.number().int(),
    tenant: z.string().optional().openapi({ description: 'With `tenants=all`: the tenant of the conversation.' }),
    definition: definition.optional(),
    definitionBefore: definition
      .optional()
      .openapi({ description: 'The definition that was last approved or allowed, if the tool changed since.' }),
    to: z
      .array(z.string())
      .optional()
      .openapi({ description: 'The people and groups that may resolve it: `ada`, `group:finance`. Default: any.' }),
    approvers: z.number().int().openapi({ description: 'How many different people must approve.' }),
    notRequester: z.literal(true).optional().openapi({ description: 'The people in `askedBy` may not approve it.' }),
    askedBy: z.array(author).optional(),
    endorsed: z
      .array(
        z.object({
          by: z.string(),
          via: z.string().optional(),
          onBehalfOf: z.string().optional(),
          inputHash: z.string(),
        }),
      )
      .openapi({ description: 'The approvals of exactly this input.' }),
    missing: z.number().int().openapi({ description: 'How many more people must approve or answer.' }),
    formerAssignee: z
      .string()
      .optional()
      .openapi({ description: 'The person to whom it was assigned, who may no longer decide it. It has no assignee.' }),
    assignee: z.string().optional().openapi({ description: 'The person to whom the hold is assigned.' }),
    names: names.optional(),
    comments: z
      .array(
        z.object({
          text: z.string(),
          at: z.number(),
          by: z.string().optional(),
          via: z.string().optional(),
          onBehalfOf: z.string().optional(),
        }),
      )
      .optional(),
    remindAt: z.number().optional().openapi({ description: 'When the approvers are reminded.' }),
    escalation: z
      .object({ at: z.number(), to: z.array(z.string()) })
      .optional()
      .openapi({ description: 'When more people are asked, and who.' }),
    may: z
      .object({ resolve: z.boolean(), approve: z.boolean(), why: z.string().optional() })
      .openapi({ description: 'What the caller may do: `resolve` is to reject or answer it. `why`: why not.' }),
  })
  .openapi('Hold')

export const conversationRow: z.ZodType = z
  .object({
    id: z.string(),
    agent: z.string(),
    status: z.enum(['running', 'held', 'idle']),
    seq: z.number().int(),
    createdAt: z.number(),
    updatedAt: z.number(),
    firstMessage: z.string().optional().openapi({ description: 'The beginning of the first message.' }),
  })
  .openapi('Conversation')

export const turnResult: z.ZodType = z
  .looseObject({
    status: z.enum(['done', 'held', 'paused', 'stopped', 'failed', 'refused']),
    reason: z.string(),
    text: z.string(),
    holds: z.array(json),
  })
  .openapi('TurnResult')

export const verdict: z.ZodType = z
  .looseObject({ verdict: z.enum(['accepted', 'duplicate']), message: z.string() })
  .openapi('Verdict')

export const memberKind: z.ZodEnum<{ human: 'human'; agent: 'agent' }> = z.enum(['human', 'agent'])
export const member: z.ZodType<Member> = z.strictObject({ kind: memberKind, id }).openapi('Member')
export const role: z.ZodType<Role> = z.enum(['owner', 'member', 'reader'])

export const spaceRow: z.ZodType = z
  .object({
    id: z.string(),
    name: z.string(),
    members: z.number().int(),
    seq: z.number().int(),
    createdAt: z.number(),
    updatedAt: z.number(),
  })
  .openapi('Space')

export const spaceView: z.ZodType = z
  .looseObject({
    name: z.string(),
    from: z.number().int(),
    seq: z.number().int(),
    members: z.array(z.object({ member, role, joinedAt: z.number(), read: z.number().int() })),
    active: z.array(z.string()),
    messages: z.array(z.looseObject({ kind: z.enum(['message', 'tool']), seq: z.number().int(), at: z.number() })),
    quiet: z.boolean(),
    writing: z.array(z.looseObject({ agent: z.string(), id: z.string(), text: z.string() })),
  })
  .openapi('SpaceView')

export const plan: z.ZodType = z
  .object({
    id: z.string(),
    what: z.string(),
    missed: z.enum(['once', 'all', 'none']),
    nextAt: z.number(),
    cron: z.object({ line: z.string(), timeZone: z.string() }).optional(),
    askedBy: z.array(author).optional(),
  })
  .openapi('Plan')

const note = z.object({ id: z.string(), text: z.string() })

export const autonomousAgent: z.ZodType = z
  .object({
    conversationId: z.string(),
    status: z.enum(['asleep', 'running', 'held']),
    inbox: z.array(json),
    waiting: z.number().int(),
    space: z.string().optional(),
    goals: z.array(note),
    memories: z.array(note),
    plans: z.array(plan),
    erased: z.looseObject({ at: z.number() }).optional().openapi({ description: 'Set once the agent was erased.' }),
  })
  .openapi('AutonomousAgent')
