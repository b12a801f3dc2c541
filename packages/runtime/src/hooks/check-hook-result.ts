/**
 * Checks what a hook returned. Hooks are code of the application, often without types. An invalid answer is a failure of the
 * hook, with a message that says what it returned and what it may return. It is never ignored.
 */
import { isObject, describeValue, toJson } from '@holdpoint/core/internal/json'
import type { UserPart } from '@holdpoint/core/internal/log/message'
import { Halt } from '@holdpoint/core/internal/tool/handler-result'
import type { CallHookResult, MessageHookResult, ReplyHookResult } from '@holdpoint/core/internal/hooks/hooks'
import { HookFailure } from './run-hook.ts'

const MESSAGE = '{ add }, { replace } or halt(reason)'
const CALL = "{ veto: 'why' } or { input }"
const REPLY = "{ again: 'what to improve' } or halt(reason)"

export function checkMessageHookResult(hook: string, given: unknown): MessageHookResult {
  if (given instanceof Halt) return given
  const answer = objectOf(hook, given, ['add', 'replace'], MESSAGE)
  const add = contentOf(hook, 'add', answer?.['add'])
  const replace = contentOf(hook, 'replace', answer?.['replace'])
  if (replace?.length === 0)
    throw new HookFailure(hook, 'replaced the message with nothing. Use halt(reason) to end the turn.')
  if (replace === undefined) return add === undefined || add.length === 0 ? undefined : { add }
  return { replace, ...(add !== undefined && add.length > 0 && { add }) }
}

export function checkCallHookResult(hook: string, given: unknown): CallHookResult {
  const answer = objectOf(hook, given, ['veto', 'input'], CALL)
  if (!answer) return undefined
  const { veto, input } = answer
  if (veto !== undefined && input !== undefined) throw wrong(hook, given, CALL)
  if (veto !== undefined) return { veto: textOf(hook, 'a "veto"', veto) }
  const json = toJson(input)
  if (!json.ok || !isObject(json.value)) throw new HookFailure(hook, 'returned an input that is not a JSON object.')
  return { input: json.value }
}

export function checkReplyHookResult(hook: string, given: unknown): ReplyHookResult {
  if (given instanceof Halt) return given
  const answer = objectOf(hook, given, ['again'], REPLY)
  return answer && { again: textOf(hook, 'an "again"', answer['again']) }
}

/** Undefined when the hook returned nothing. */
function objectOf(
  hook: string,
  given: unknown,
  keys: readonly string[],
  advice: string,
): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined || given === null) return undefined
  if (!isObject(given) || given instanceof Halt) throw wrong(hook, given, advice)
  const fields = Object.entries(given as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined)
  if (fields.some(([key]) => !keys.includes(key))) throw wrong(hook, given, advice)
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

function wrong(hook: string, given: unknown, advice: string): HookFailure {
  const what = typeof given === 'string' ? `the text ${shortened(given)}` : shortened(given)
  return new HookFailure(hook, `returned ${what}. Return nothing, ${advice}.`)
}

function textOf(hook: string, what: string, given: unknown): string {
  if (typeof given === 'string' && given !== '') return given
  throw new HookFailure(hook, `returned ${what} that is not a text: ${shortened(given)}.`)
}

function contentOf(hook: string, key: string, given: unknown): string | readonly UserPart[] | undefined {
  if (given === undefined || typeof given === 'string') return given
  if (!Array.isArray(given))
    throw new HookFailure(hook, `returned a "${key}" that is neither text nor a list of parts: ${shortened(given)}.`)
  const json = toJson(given)
  if (!json.ok) throw new HookFailure(hook, `returned a "${key}" that is not JSON: ${json.why}.`)
  const parts = json.value as readonly unknown[]
  const none = parts.find((part) => !isUserPart(part))
  if (none !== undefined)
    throw new HookFailure(hook, `returned something in "${key}" that is not a part of a message: ${shortened(none)}.`)
  return parts as readonly UserPart[]
}

function isUserPart(part: unknown): part is UserPart {
  if (!isObject(part)) return false
  const { type, text, mediaType, file, filename = '' } = part
  if (type === 'text') return typeof text === 'string'
  if (type !== 'file' || typeof mediaType !== 'string' || typeof filename !== 'string' || !isObject(file)) return false
  const { kind, base64, url } = file
  return kind === 'base64' ? typeof base64 === 'string' : kind === 'url' && typeof url === 'string'
}

const LONGEST = 200

/** The message of a failure is stored, and read by people and models. */
function shortened(value: unknown): string {
  const text = describeValue(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
