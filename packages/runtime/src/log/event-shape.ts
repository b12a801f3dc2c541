/**
 * The shape that each event must have before it is folded: saved data may come from any source. A check covers only what the
 * code relies on. Unknown fields are allowed, so that data of newer versions stays readable.
 */
import { isObject } from '@holdpoint/core/internal/json'
import type { EndReason, EventBody } from '@holdpoint/core/internal/log/log-event'
import type { InboxEvent } from '@holdpoint/core/internal/log/message'
import type { Finish, ReplyPart } from '@holdpoint/core/internal/model/reply'
import type { Hold, HoldKind, Resolution } from '@holdpoint/core/internal/turn/hold'

export type Check = (value: unknown) => boolean

const any: Check = (value) => value !== undefined
const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const object: Check = isObject
const number: Check = (value) => Number.isFinite(value)
const amount: Check = (value) => number(value) && Number(value) >= 0
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 1
const is =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value)
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const list =
  (check: Check): Check =>
  (value) =>
    // `every` skips a hole in an array, and a loop over it does not.
    Array.isArray(value) && Array.from(value).every(check)
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([key, check]) => check(value[key]))
/** With a check for every field of the type. */
const shapeOf = <T extends object>(fields: { readonly [K in keyof T]-?: Check }): Check => shape(fields)
/** One of several shapes, told apart by a field. */
const variant = <T extends string>(
  tag: string,
  shapes: Readonly<Record<T, Readonly<Record<string, Check>>>>,
): Check => {
  const checks = new Map<unknown, Check>(
    Object.entries(shapes).map(([name, fields]) => [name, shape(fields as Readonly<Record<string, Check>>)]),
  )
  return (value) => isObject(value) && checks.get(value[tag])?.(value) === true
}

const FINISH: readonly Finish[] = ['stop', 'length', 'content-filter', 'calls', 'error', 'interrupted', 'other']
const ENDS: Readonly<Record<EndReason, true>> = {
  completed: true,
  halted: true,
  tool_error: true,
  max_steps: true,
  budget: true,
  stop_condition: true,
  cancelled: true,
  superseded: true,
  expired: true,
  model_failed: true,
  interrupted: true,
  output_invalid: true,
  context_full: true,
  hook_failed: true,
  skipped: true,
}
const KINDS: readonly HoldKind[] = ['approval', 'elicitation', 'client', 'external']
const CAUSES: readonly Hold['cause'][] = ['tool', 'asked', 'lost', 'changed', 'manual']
const ANSWERS: readonly Resolution['kind'][] = ['approve', 'reject', 'answer']

const end = is(...Object.keys(ENDS))
const file = variant('kind', {
  base64: { base64: text },
  url: { url: text },
  stored: { id: text, bytes: amount, sha256: text },
})
const outcome = either(
  shape({ ok: is(true), value: any }),
  shape({ ok: is(false), error: shape({ code: text, message: text }) }),
)
const resolution = either(
  shape({ kind: is('approve') }),
  shape({ kind: is('reject'), reason: maybe(text) }),
  shape({ kind: is('answer'), value: any }),
  shape({ kind: is('answer'), error: text }),
)
const userPart = variant('type', { text: { text }, file: { mediaType: text, file } })
const working = is('running', 'requires_action')
const shownHold = shape({
  kind: is(...KINDS),
  nth: count,
  expiresAt: maybe(number),
  reason: maybe(text),
  answerSchema: maybe(object),
  url: maybe(text),
})
const member = shape({ kind: is('human', 'agent'), id: text })
const requesters = maybe(either(is('many'), list(text)))
export const isAuthors: Check = list(
  shape({
    via: is('message', 'space', 'trigger', 'plan', 'inbox'),
    by: maybe(text),
    kind: maybe(is('human', 'agent')),
    space: maybe(text),
    requesters,
  }),
)
const askedBy = maybe(isAuthors)
const inboxEvent = variant<InboxEvent['type']>('type', {
  'space.message': { space: text, name: text, seq: count, from: member, text, replyTo: maybe(count), requesters },
  'plan.fired': { planId: text, what: text, due: number, missed: maybe(count), askedBy },
  trigger: { name: text, data: any, by: maybe(text), requesters },
})
const inbound = variant('kind', {
  message: { message: shape({ parts: list(userPart), by: maybe(text), via: maybe(text), trace: maybe(text) }) },
  answer: { callId: text, name: text, outcome, askedBy, silent: maybe(is(true)) },
  event: { id: text, at: number, event: inboxEvent },
})
const actor = { by: maybe(text), via: maybe(text), onBehalfOf: maybe(text) }
const decider = { ...actor, auth: maybe(text) }
const data = maybe(object)
const replyPart = variant<ReplyPart['type']>('type', {
  text: { text, data },
  reasoning: { text, data },
  call: { callId: text, vendorId: text, name: text, input: any, malformed: maybe(text), data },
  'provider-call': { id: text, name: text, input: any, data },
  'provider-result': { id: text, name: text, result: any, isError: flag, data },
  file: { mediaType: text, file, data },
  source: { source: object, data },
  custom: { kind: text, data },
})
const tokens = maybe(amount)
const usage = shape({
  inputTokens: amount,
  outputTokens: amount,
  cachedTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
})
const waiting = {
  timeoutMs: amount,
  onExpire: either(is('error', 'reject', 'cancel'), shape({ answer: any })),
  late: is('reject', 'inbox'),
  graceMs: maybe(amount),
  cause: is(...CAUSES),
  async: maybe(is(true)),
}
const definition = shape({ description: text, executor: text, input: any })
const hold = shapeOf<Hold>({
  ...waiting,
  kind: is(...KINDS),
  reason: maybe(text),
  metadata: maybe(any),
  accepts: list(is(...ANSWERS)),
  input: any,
  inputHash: text,
  fingerprint: text,
  definition: maybe(definition),
  definitionBefore: maybe(definition),
  expiresAt: number,
  approvers: count,
  to: maybe(list(text)),
  notRequester: maybe(is(true)),
  rules: maybe(is('may-relax')),
  remindAt: maybe(number),
  escalation: maybe(shape({ at: number, to: list(text) })),
  askedBy,
  answerSchema: maybe(object),
  url: maybe(text),
  resumes: maybe(is('answer', 'deadline')),
  then: maybe(shape({ ...waiting, kind: is(...KINDS), answerSchema: maybe(object) })),
})
const ruleDecision = shape({
  effect: is('allow', 'ask', 'deny'),
  rule: shape({ id: text, version: count }),
  why: text,
  ignored: maybe(text),
})
const attempt = shape({ model: text, message: text, status: maybe(number), delayMs: maybe(amount) })
const plan = shape({ spec: shape({ schema: object, name: maybe(text), description: maybe(text) }), finalize: flag })

/** A check for every field of an event, so that a field that is renamed or added does not compile without one. */
type FieldChecks<E extends EventBody> = { readonly [K in Exclude<keyof E, 'type'>]-?: Check }

/** The fields of each event; `seq` and `at` are those of every one. */
export const EVENTS: { readonly [T in EventBody['type']]: FieldChecks<Extract<EventBody, { readonly type: T }>> } = {
  'conversation.opened': { agent: text, by: maybe(text), via: maybe(text) },
  'conversation.forked': { from: shape({ conversationId: text, seq: count }), by: maybe(text), via: maybe(text) },
  'conversation.erased': {
    agent: text,
    reason: maybe(text),
    policy: maybe(text),
    by: maybe(text),
    via: maybe(text),
    onBehalfOf: maybe(text),
  },
  'conversation.restored': {},
  'participants.changed': {
    add: list(text),
    remove: list(text),
    owner: maybe(text),
    by: maybe(text),
    via: maybe(text),
  },
  'turn.started': {
    turnId: text,
    agent: text,
    items: list(inbound),
    queued: maybe(either(count, is(0))),
    upTo: maybe(either(count, is(0))),
    cycle: maybe(is(true)),
    tellsNews: maybe(is(true)),
    limits: shape({ maxSteps: count, maxTokens: maybe(count) }),
    output: maybe(plan),
  },
  'message.queued': { item: inbound },
  'model.replied': {
    turnId: text,
    step: count,
    reply: shape({ parts: list(replyPart), finish: is(...FINISH), usage, notes: maybe(list(any)), data }),
    ends: maybe(end),
    message: maybe(text),
    withheld: maybe(is(true)),
    again: maybe(shape({ hook: text, feedback: text })),
    shown: maybe(shape({ from: count, stubs: maybe(count), summary: maybe(count) })),
    attempts: maybe(list(attempt)),
    spaces: maybe(
      shape({
        current: maybe(text),
        left: maybe(is(true)),
        calls: list(shape({ callId: text, space: text, shown: maybe(is(true)) })),
      }),
    ),
    display: maybe(list(shape({ callId: text, streaming: maybe(is(true)), silent: maybe(is(true)) }))),
  },
  'message.changed': {
    turnId: text,
    replacement: maybe(list(userPart)),
    added: maybe(list(userPart)),
    withheld: maybe(is(true)),
    hooks: list(text),
  },
  'call.rewritten': { callId: text, input: any, hooks: list(text) },
  'call.held': { callId: text, hold, state: maybe(any) },
  'call.resumed': { callId: text, resolution: maybe(resolution), ...decider },
  'call.endorsed': { ...decider, callId: text, by: text, inputHash: text },
  'hold.reminded': { callId: text },
  'hold.escalated': { callId: text, to: list(text) },
  'hold.assigned': { callId: text, assignee: maybe(text), ...actor },
  'hold.commented': { callId: text, text, ...actor },
  'call.approved': {
    callId: text,
    ...decider,
    resolution,
    effective: maybe(any),
    inputHash: text,
    fingerprint: text,
  },
  'call.judged': { callId: text, decision: maybe(ruleDecision), shadow: maybe(ruleDecision) },
  'call.cleared': { callId: text, inputHash: text, fingerprint: text },
  'call.started': { callId: text, attempt: count },
  'call.settled': {
    callId: text,
    outcome,
    resolution: maybe(resolution),
    ...decider,
    halt: maybe(shape({ reason: is('halted', 'tool_error', 'skipped'), message: text })),
  },
  'answer.arrived': {
    callId: text,
    name: text,
    outcome,
    resolution: maybe(resolution),
    ...decider,
    shownIn: maybe(text),
    silent: maybe(is(true)),
    askedBy,
  },
  'state.changed': { plugin: text, value: any },
  'turn.ended': { turnId: text, reason: end, message: maybe(text), attempts: maybe(list(attempt)) },
  'plan.set': {
    plan: shape({
      id: text,
      what: text,
      missed: is('once', 'all', 'none'),
      nextAt: number,
      cron: maybe(shape({ line: text, timeZone: text })),
      askedBy,
    }),
  },
  'plan.removed': { planId: text },
  'plan.fired': { planId: text, what: text, due: list(number), missed: amount, next: maybe(number), askedBy },
  'notices.delivered': { count },
  'space.opened': { name: text, agentMessages: amount, by: maybe(text) },
  'space.erased': { reason: maybe(text), by: maybe(text), via: maybe(text) },
  'member.joined': { member, role: is('owner', 'member', 'reader'), by: maybe(text) },
  'member.left': { member, by: maybe(text) },
  'message.posted': { from: member, text, replyTo: maybe(count), requesters, quiet: maybe(is(true)) },
  'messages.read': { member, upTo: count },
  'agent.activated': { agent: text },
  'agent.rested': { agent: text },
  'tool.started': {
    agent: text,
    toolCallId: text,
    name: text,
    input: any,
    status: working,
    hold: maybe(shownHold),
    streaming: maybe(is(true)),
  },
  'tool.changed': { agent: text, toolCallId: text, input: any, status: working, hold: maybe(shownHold) },
  'tool.done': { agent: text, toolCallId: text, output: any, input: maybe(any) },
  'tool.error': { agent: text, toolCallId: text, error: shape({ code: text, message: text }) },
}

export const isSeq: Check = count
export const isTime: Check = number
