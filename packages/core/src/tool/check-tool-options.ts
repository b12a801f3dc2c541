/**
 * Checks the options of a tool when it is defined: which options go with which executor, and their values. The types say the
 * same at compile time. These checks are for JavaScript and for configuration, and their messages say what to do instead.
 */
import { HoldpointError } from '../failure.ts'
import { isDuration } from '../duration.ts'
import { isObject, describeValue } from '../json.ts'
import { TOOL_NAME } from './name.ts'
import type { ApprovalRequest, Approvers, Executor } from './tool-options.ts'

const COMMON = [
  'name',
  'description',
  'input',
  'output',
  'executor',
  'timeout',
  'streaming',
  'retention',
  'visible',
  'maxResultBytes',
]
const APPROVAL = ['approval', 'approvalTimeout', 'onExpire']

const KEYS: Readonly<Record<Executor, readonly string[]>> = {
  server: [...COMMON, ...APPROVAL, 'run', 'onLost', 'manual'],
  human: [...COMMON, 'to', 'onExpire', 'late', 'async'],
  client: [...COMMON, ...APPROVAL, 'late', 'async', 'grace'],
  external: [...COMMON, ...APPROVAL, 'late', 'async'],
  provider: ['name', 'description', 'executor', 'id', 'args', 'retention', 'visible'],
}

/** Frequent mistakes: what to do instead. */
const INSTEAD: Readonly<Partial<Record<Executor, Readonly<Record<string, string>>>>> = {
  human: {
    approval:
      'Asking a person to approve asking a person is circular: remove "approval", or make it a server tool with approval "required".',
    run: 'The person\'s answer is the result, so nothing runs after it: remove "run", or use askUser() in a server tool.',
  },
  provider: {
    approval:
      'The model\'s vendor runs it inside its reply, before a person could be asked: remove "approval", or write a server tool that does the same and gate that.',
    run: 'The model\'s vendor runs it: remove "run", or use executor "server".',
    input: 'The vendor describes its own tool: remove "input" and give the vendor\'s settings in "args".',
  },
  client: { run: 'The client runs it: register the function there by this name, or use executor "server".' },
  external: {
    run: 'Another service runs it and posts the result: remove "run", or use executor "server".',
    grace: 'A service takes its calls when it is back, so that only "timeout" counts: remove "grace".',
  },
  server: {
    grace: 'It runs here, and no client is needed for it: remove "grace", or use executor "client".',
    async:
      'Only calls that wait for an answer from outside can be async: use executor "external", "client" or "human".',
    late: 'A server tool has no late answers: use executor "external", "client" or "human".',
  },
}

export function checkToolOptions(options: unknown): void {
  if (!isObject(options))
    throw invalidTool('A tool is declared with an object: tool({ name, description, input, run }).')
  const given = options as Readonly<Record<string, unknown>>
  const { name, executor = 'server' } = given
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw invalidTool(
      `${describeValue(name)} is not a tool name. Use a letter or digit, then up to 127 letters, digits, "_", "-", ".", ":" or "/", such as "notes.search".`,
    )
  }
  const what = `Tool "${name}"`
  if (!isExecutor(executor)) {
    throw invalidTool(`${what}: unknown executor ${describeValue(executor)}. Use ${Object.keys(KEYS).join(', ')}.`)
  }
  checkKeys(given, executor, what)
  checkValues(given, executor, what)
}

function checkKeys(given: Readonly<Record<string, unknown>>, executor: Executor, what: string): void {
  for (const key of Object.keys(given)) {
    if (given[key] === undefined || KEYS[executor].includes(key)) continue
    if (key === 'approval' && (given[key] === 'auto' || given[key] === false)) continue // without approval, which is the default
    const instead = INSTEAD[executor]
    if (instead && Object.hasOwn(instead, key))
      throw invalidTool(`${what}: "${key}" is not for executor "${executor}". ${instead[key]}`)
    const known = Object.values(KEYS).some((keys) => keys.includes(key))
    const hint = known ? `It is not for executor "${executor}".` : 'There is no such setting.'
    throw invalidTool(`${what}: "${key}": ${hint} It takes ${KEYS[executor].join(', ')}.`)
  }
}

function checkValues(given: Readonly<Record<string, unknown>>, executor: Executor, what: string): void {
  for (const key of ['manual', 'async', 'streaming', 'visible']) {
    if (!['boolean', 'undefined'].includes(typeof given[key]))
      throw invalidTool(`${what}: "${key}" must be true or false, not ${describeValue(given[key])}.`)
  }
  const { maxResultBytes: most = 1 } = given
  if (!Number.isSafeInteger(most) || Number(most) < 1)
    throw invalidTool(`${what}: "maxResultBytes" must be a whole number from 1, not ${describeValue(most)}.`)
  if (!isObject(given['retention'])) oneOf(given, 'retention', ['keep'], what, ' or { turns?, last? }')
  if (executor === 'provider') {
    if (typeof given['id'] !== 'string')
      throw invalidTool(
        `${what}: a provider tool needs "id", the vendor's name of the tool, such as "openai.web_search".`,
      )
    if (!isObject(given['args'] ?? {}))
      throw invalidTool(`${what}: "args" must be an object: the vendor's settings of the tool.`)
    return
  }
  if (typeof given['description'] !== 'string')
    throw invalidTool(`${what} needs a "description": the model reads it to choose a tool.`)
  if (given['input'] === undefined)
    throw invalidTool(
      `${what} needs an "input" schema; for a tool without arguments give z.object({}) or { type: 'object', properties: {} }.`,
    )
  if (given['run'] !== undefined && typeof given['run'] !== 'function')
    throw invalidTool(`${what}: "run" must be a function, not ${describeValue(given['run'])}.`)
  oneOf(given, 'late', ['reject', 'inbox'], what)
  if (typeof given['onLost'] !== 'function')
    oneOf(given, 'onLost', ['retry', 'fail', 'ask'], what, ' or a function that verifies the call')
  if (!isObject(given['onExpire']) || !('answer' in given['onExpire']))
    oneOf(given, 'onExpire', ['error', 'reject', 'cancel'], what, ' or { answer }')
  checkApproval(given['approval'], what)
  if (given['to'] !== undefined && !isNames(given['to']))
    throw invalidTool(
      `${what}: "to" must name people and groups: ['ada', 'group:finance'], not ${describeValue(given['to'])}.`,
    )
}

function checkApproval(approval: unknown, what: string): void {
  if (approval === undefined || approval === 'auto' || approval === 'required') return
  if (typeof approval === 'boolean' || typeof approval === 'function') return
  if (isApprovalRequest(approval)) return
  if (isObject(approval) && escalatesFromEveryone(approval))
    throw invalidTool(`${what}: "approval.escalate" needs "approvers.anyOf": ${EVERYONE_IS_ASKED}`)
  throw invalidTool(
    `${what}: "approval" must be true or "required", false or "auto", { required, reason?, approvers?, rules?, remindAfter?, escalate? } or a function that returns true, false or such an object.`,
  )
}

const REQUEST_KEYS: readonly string[] = ['required', 'reason', 'approvers', 'rules', 'remindAfter', 'escalate']

/** An object with an unknown field is not a request: a misspelt `aprovers: 2` must not mean one approver. */
export function isApprovalRequest(value: unknown): value is ApprovalRequest {
  if (!isObject(value)) return false
  const fields = value as Readonly<Record<string, unknown>>
  const { required, reason = '', approvers = 1, rules, remindAfter = 1, escalate } = fields
  if (hasOther(value, REQUEST_KEYS)) return false
  if (typeof required !== 'boolean' || typeof reason !== 'string') return false
  if (escalatesFromEveryone(value)) return false
  if (rules !== undefined && rules !== 'may-relax') return false
  return (isCount(approvers) || isApprovers(approvers)) && isDuration(remindAfter) && isEscalation(escalate)
}

const EVERYONE_IS_ASKED = 'without it, everyone who may resolve is asked from the start.'

/** An escalation adds people to those that are named. Where none are, it would take the right from everyone else. */
function escalatesFromEveryone({ approvers, escalate }: Readonly<Record<string, unknown>>): boolean {
  return escalate !== undefined && !(isObject(approvers) && approvers['anyOf'] !== undefined)
}

export function isApprovers(value: unknown): value is Approvers {
  if (!isObject(value) || hasOther(value, ['anyOf', 'count', 'notRequester'])) return false
  const { anyOf = ['x'], count = 1, notRequester = true } = value as Readonly<Record<string, unknown>>
  return isNames(anyOf) && isCount(count) && typeof notRequester === 'boolean'
}

function isEscalation(value: unknown): boolean {
  if (value === undefined) return true
  return isObject(value) && !hasOther(value, ['after', 'to']) && isDuration(value['after']) && isNames(value['to'])
}

/** A list of at least one person or group. */
export function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '')
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1
}

function hasOther(value: object, known: readonly string[]): boolean {
  return Object.keys(value).some((key) => !known.includes(key))
}

function oneOf(
  given: Readonly<Record<string, unknown>>,
  key: string,
  allowed: readonly string[],
  what: string,
  more = '',
): void {
  const value = given[key]
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return
  throw invalidTool(
    `${what}: "${key}" must be ${allowed.map((each) => `"${each}"`).join(', ')}${more}, not ${describeValue(value)}.`,
  )
}

function isExecutor(value: unknown): value is Executor {
  return typeof value === 'string' && Object.hasOwn(KEYS, value)
}

export function invalidTool(message: string): HoldpointError {
  return new HoldpointError('tool-invalid', message)
}
