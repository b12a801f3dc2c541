/** Rules about calls: list, save, change and revoke them, and try them on the log. */
import { ruleWords, type Rule, type RuleText } from '@holdpoint/core'
import type { RuleResult } from '@holdpoint/runtime'
import type { RuleRow } from '@holdpoint/protocol'
import { authorize as defaultRules, identityOf, type Right } from '../authorize.ts'
import { ok, page, refuse, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { after, by, id, json, limit, listOf, z } from '../schemas.ts'
import { readsWholeTenant } from './access-rules.ts'
import { authorOf } from './request-author.ts'

const bounds = z.strictObject({ min: z.number().optional(), max: z.number().optional() })
const condition = z
  .strictObject({
    at: z.string().max(1000).openapi({ description: 'A JSON Pointer into the input. `*`: the elements of a list.' }),
    equals: json.optional(),
    in: z.array(json).optional(),
    prefix: z.string().optional(),
    range: bounds.optional(),
    length: bounds.optional(),
  })
  .openapi('Condition')
const conditions = z.array(condition).max(50)
const ruleText = {
  effect: z.enum(['allow', 'ask', 'deny']),
  tool: id,
  fingerprint: z.string().openapi({ description: 'The fingerprint of the tool, as its holds have it.' }),
  when: conditions,
  unless: z.array(conditions).optional().openapi({ description: 'Only in a `deny`: exceptions.' }),
  scope: z.strictObject({ conversation: id.optional(), person: id.optional(), agent: id.optional() }).optional(),
  reason: z.string().max(1000).optional(),
  expiresAt: z.number().int().optional(),
  uses: z.number().int().optional().openapi({ description: 'Only in an `allow`: how many calls it allows.' }),
  examples: z
    .strictObject({ match: z.array(json).optional(), noMatch: z.array(json).optional() })
    .optional()
    .openapi({ description: 'Inputs that the rule must match and must not match. Checked before it is saved.' }),
  shadow: z.literal(true).optional().openapi({ description: 'Only record what the rule would decide.' }),
}
const ruleRow = z
  .looseObject({
    ...ruleText,
    id: z.string(),
    version: z.number().int(),
    words: z.string(),
    author: z.looseObject({ id: z.string() }),
    used: z.number().int(),
    calls: z.array(z.object({ conversationId: z.string(), callId: z.string(), at: z.number() })),
    may: z.object({ change: z.boolean() }),
  })
  .openapi('Rule')
const decision = z.looseObject({ effect: z.enum(['allow', 'ask', 'deny']), why: z.string() })
const version = z.number().int().min(1)

export const ruleRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/rules',
    name: 'listRules',
    tag: 'rules',
    summary: 'List rules, also those that ended in the last 90 days',
    scopes: ['resolver', 'reader'],
    query: z.strictObject({ tool: id.optional(), search: z.string().max(200).optional(), after, limit }),
    responses: { 200: { description: 'A page of rules.', schema: listOf(ruleRow) } },
    problems: ['config-invalid', 'not-allowed'],
    handle: async (request) => {
      const { query, runtime } = request
      if (!(await may(request, 'rule.read'))) return mayNotRead
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      const { items, next } = await runtime.rules.list(filter)
      return page({ items: await Promise.all(items.map((rule) => rowOf(request, rule))), next })
    },
  }),
  route({
    method: 'post',
    path: '/api/rules',
    name: 'saveRule',
    tag: 'rules',
    summary: 'Save a rule. It applies to every call that is made after this responds',
    scopes: ['resolver'],
    body: z.strictObject({ ...ruleText, by }).openapi('SaveRule'),
    responses: { 201: { description: 'The rule.', schema: ruleRow } },
    problems: ['config-invalid', 'not-allowed', 'limit-reached'],
    handle: async (request) => {
      const { by: given, ...rule } = request.body
      const from = await authorOf(request, given)
      if ('answer' in from) return from.answer
      if (!(await may(request, 'rule.save', rule as RuleText))) return mayNotChange
      return saved(request, await request.runtime.rules.save(rule as RuleText, { by: from.by }), 201)
    },
  }),
  route({
    method: 'post',
    path: '/api/rules/backtest',
    name: 'backtestRules',
    tag: 'rules',
    summary: 'Try rules on calls in the log, beside what people decided. Needs access to every conversation',
    scopes: ['resolver', 'reader'],
    body: z
      .strictObject({
        rules: z.array(z.strictObject(ruleText)).min(1).max(100),
        since: z.number().int().min(0).optional(),
        calls: z.number().int().min(1).max(10_000).optional(),
      })
      .openapi('Backtest'),
    responses: {
      200: {
        description: 'What the rules would have decided, and where it differs.',
        schema: z.looseObject({
          calls: z.number().int(),
          would: z.object({ allow: z.number(), ask: z.number(), deny: z.number(), none: z.number() }),
          differences: z.array(z.looseObject({ callId: z.string(), would: decision })),
        }),
      },
    },
    problems: ['config-invalid', 'not-allowed'],
    handle: async (request) => {
      const { rules, ...options } = request.body
      if (!readsWholeTenant(request.caller)) return mayNotTry
      const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
      return ok(await request.runtime.rules.backtest(rules as readonly RuleText[], given))
    },
  }),
  route({
    method: 'get',
    path: '/api/rules/{id}',
    name: 'getRule',
    tag: 'rules',
    summary: 'Get a rule and its newest uses',
    scopes: ['resolver', 'reader'],
    params: z.object({ id }),
    query: z.strictObject({}),
    responses: { 200: { description: 'The rule.', schema: ruleRow } },
    problems: ['not-found', 'config-invalid', 'not-allowed'],
    handle: async (request) => {
      const rule = await request.runtime.rules.find(request.params.id)
      if (!(await may(request, 'rule.read', rule))) return mayNotRead
      return rule ? ok(await rowOf(request, rule)) : noRule(request.params.id)
    },
  }),
  route({
    method: 'put',
    path: '/api/rules/{id}',
    name: 'changeRule',
    tag: 'rules',
    summary: 'Change a rule: it gets a new version, and its uses count from 0',
    scopes: ['resolver'],
    params: z.object({ id }),
    body: z.strictObject({ ...ruleText, by, version }).openapi('ChangeRule'),
    responses: { 200: { description: 'The rule.', schema: ruleRow } },
    problems: ['not-found', 'config-invalid', 'not-allowed', 'version-conflict'],
    handle: async (request) => {
      const { by: given, version: seen, ...rule } = request.body
      const from = await authorOf(request, given)
      if ('answer' in from) return from.answer
      const before = await request.runtime.rules.find(request.params.id)
      if (!before) return noRule(request.params.id)
      if (!(await may(request, 'rule.end', before)) || !(await may(request, 'rule.save', rule as RuleText)))
        return mayNotChange
      // The right is about the version that was read here.
      if (seen !== before.version) return changedSince(before)
      const options = { by: from.by, id: before.id, version: seen }
      return saved(request, await request.runtime.rules.save(rule as RuleText, options), 200)
    },
  }),
  route({
    method: 'post',
    path: '/api/rules/{id}/revoke',
    name: 'revokeRule',
    tag: 'rules',
    summary: 'Revoke a rule. It stays listed for 90 days',
    scopes: ['resolver'],
    params: z.object({ id }),
    body: z
      .strictObject({ reason: z.string().max(1000).optional(), by })
      .optional()
      .openapi('RevokeRule'),
    responses: { 200: { description: 'The rule.', schema: ruleRow } },
    problems: ['not-found', 'config-invalid', 'not-allowed', 'version-conflict'],
    handle: async (request) => {
      const { reason, by: given } = request.body ?? {}
      const from = await authorOf(request, given)
      if ('answer' in from) return from.answer
      const rule = await request.runtime.rules.find(request.params.id)
      if (!rule) return noRule(request.params.id)
      if (!(await may(request, 'rule.end', rule))) return mayNotChange
      const options = { by: from.by, version: rule.version, ...(reason !== undefined && { reason }) }
      return saved(request, await request.runtime.rules.revoke(rule.id, options), 200)
    },
  }),
]

const mayNotRead = refuse('not-allowed', 'You may not read the rules of this tenant.')
const mayNotTry = refuse('not-allowed', 'A backtest reads every conversation, and you may not.')
const mayNotChange = refuse(
  'not-allowed',
  'You may not save, change or revoke this rule. A rule that asks or denies is ended by its author or by an administrator.',
)

function noRule(which: string): RouteAnswer {
  return refuse('not-found', `There is no rule "${which}".`)
}

function changedSince({ id: which, version: now }: Rule): RouteAnswer {
  return refuse('version-conflict', `Rule "${which}" has version ${now} by now. Read it again.`)
}

type Asked = Pick<RouteRequest, 'caller' | 'services'>

async function may({ caller, services }: Asked, right: Right, rule?: RuleText & Partial<Rule>): Promise<boolean> {
  const { authorize = defaultRules } = services
  const about = rule && {
    rule: { tool: rule.tool, effect: rule.effect, ...(rule.author && { author: rule.author.id }) },
  }
  const resource = { conversationId: rule?.scope?.conversation ?? '', owner: undefined, participants: [], ...about }
  return authorize(identityOf(caller), right, resource)
}

async function rowOf(asked: Asked, rule: Rule): Promise<RuleRow> {
  return { ...rule, words: ruleWords(rule), may: { change: await may(asked, 'rule.end', rule) } }
}

async function saved(asked: Asked, result: RuleResult, status: 200 | 201): Promise<RouteAnswer> {
  if (result.ok) return ok(await rowOf(asked, result.rule), status)
  const { refusal, message } = result
  switch (refusal) {
    case 'rule-invalid':
      return refuse('bad-request', message)
    case 'rule-missing':
      return refuse('not-found', message)
    case 'rule-changed':
      return refuse('version-conflict', message)
    case 'limit-reached':
      return refuse('limit-reached', message)
  }
}
