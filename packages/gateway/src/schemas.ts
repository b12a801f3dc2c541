/**
 * The shapes of requests and answers, for the checks and for the OpenAPI document. What comes in is strict: a misspelt
 * name is refused. What goes out is described as far as a reader needs it; the runtime's own types say the rest.
 */
import { z } from '@hono/zod-openapi'
import type { Member, Role } from '@holdpoint/core'
import { decodeClientTools, type Scope } from '@holdpoint/protocol'
import { SCOPES } from './auth/principal.ts'

export { z }

const LONGEST = 200

export const id: z.ZodString = z
  .string()
  .min(1)
  .max(LONGEST)
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'has control characters')
  // Not in the pattern: a document has no place for the flag that it would take.
  .refine((text) => text.isWellFormed(), 'has half a character')
  // Nobody could name it in a URL: everybody who reads one takes them out.
  .regex(/^(?!\.\.?$)/, 'is neither "." nor ".."')

/** Any JSON. */
export const json: z.ZodUnknown = z.unknown().openapi({ description: 'Any JSON.' })

export const limit: z.ZodOptional<z.ZodCoercedNumber> = z.coerce.number().int().min(1).max(1000).optional()
export const after: z.ZodOptional<z.ZodString> = z.string().max(1000).optional()
export const seconds = (most: number): z.ZodOptional<z.ZodCoercedNumber> =>
  z.coerce.number().min(0).max(most).optional()

/** Names of client tools that the reader of a stream can run. */
export const tools: z.ZodOptional<z.ZodType<readonly string[], string>> = z
  .string()
  .transform((text, context) => {
    const names = decodeClientTools(text)
    if (names) return names
    context.addIssue({ code: 'custom', message: 'is a list of 1 to 100 names of tools, with commas between them' })
    return z.NEVER
  })
  .optional()
  .openapi({ type: 'string', description: 'Client tools that this reader can run, with commas between their names.' })

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
    firstWords: z.string().optional().openapi({ description: 'What somebody said first, cut short.' }),
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
  })
  .openapi('Plan')

const note = z.object({ id: z.string(), text: z.string() })

export const life: z.ZodType = z
  .object({
    conversationId: z.string(),
    status: z.enum(['asleep', 'running', 'held']),
    inbox: z.array(json),
    waiting: z.number().int(),
    space: z.string().optional(),
    goals: z.array(note),
    memories: z.array(note),
    plans: z.array(plan),
  })
  .openapi('Life')
