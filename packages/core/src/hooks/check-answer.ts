/**
 * What a hook gives back, checked. Hooks are people's own code, often without types: an answer that makes no sense is a
 * failure of the hook, which says what it gave and what it may give. It is never passed over, and never guessed at.
 */
import { isObject, show, toJson } from '../json.ts'
import type { UserPart } from '../log/message.ts'
import { Halt } from '../tool/handler-result.ts'
import type { CallAnswer, MessageAnswer, ReplyAnswer } from './hooks.ts'
import { HookFailure } from './run-hook.ts'

const MESSAGE = '{ add }, { replace } or halt(reason)'
const CALL = "{ veto: 'why' } or { input }"
const REPLY = "{ again: 'what is to be better' } or halt(reason)"

export function checkMessageAnswer(hook: string, given: unknown): MessageAnswer {
  if (given instanceof Halt) return given
  const answer = objectOf(hook, given, ['add', 'replace'], MESSAGE)
  const add = contentOf(hook, 'add', answer?.['add'])
  const replace = contentOf(hook, 'replace', answer?.['replace'])
  if (replace?.length === 0)
    throw new HookFailure(hook, 'put nothing in the place of what was said. Use halt(reason) to end the turn.')
  if (replace === undefined) return add === undefined || add.length === 0 ? undefined : { add }
  return { replace, ...(add !== undefined && add.length > 0 && { add }) }
}

export function checkCallAnswer(hook: string, given: unknown): CallAnswer {
  const answer = objectOf(hook, given, ['veto', 'input'], CALL)
  if (!answer) return undefined
  const { veto, input } = answer
  if (veto !== undefined && input !== undefined) throw wrong(hook, given, CALL)
  if (veto !== undefined) return { veto: textOf(hook, 'a "veto"', veto) }
  const json = toJson(input)
  if (!json.ok || !isObject(json.value)) throw new HookFailure(hook, 'gave an input that is no JSON object.')
  return { input: json.value }
}

export function checkReplyAnswer(hook: string, given: unknown): ReplyAnswer {
  if (given instanceof Halt) return given
  const answer = objectOf(hook, given, ['again'], REPLY)
  return answer && { again: textOf(hook, 'an "again"', answer['again']) }
}

/** Undefined when it says nothing. */
function objectOf(
  hook: string,
  given: unknown,
  keys: readonly string[],
  advice: string,
): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined || given === null) return undefined
  if (!isObject(given) || given instanceof Halt) throw wrong(hook, given, advice)
  const said = Object.entries(given as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined)
  if (said.some(([key]) => !keys.includes(key))) throw wrong(hook, given, advice)
  return said.length === 0 ? undefined : Object.fromEntries(said)
}

function wrong(hook: string, given: unknown, advice: string): HookFailure {
  const what = typeof given === 'string' ? `the text ${brief(given)}` : brief(given)
  return new HookFailure(hook, `gave ${what}. Return nothing, ${advice}.`)
}

function textOf(hook: string, what: string, given: unknown): string {
  if (typeof given === 'string' && given !== '') return given
  throw new HookFailure(hook, `gave ${what} that is no text: ${brief(given)}.`)
}

function contentOf(hook: string, key: string, given: unknown): string | readonly UserPart[] | undefined {
  if (given === undefined || typeof given === 'string') return given
  if (!Array.isArray(given))
    throw new HookFailure(hook, `gave a "${key}" that is neither text nor a list of parts: ${brief(given)}.`)
  const json = toJson(given)
  if (!json.ok) throw new HookFailure(hook, `gave "${key}", which is no JSON: ${json.why}.`)
  const parts = json.value as readonly unknown[]
  const none = parts.find((part) => !isUserPart(part))
  if (none !== undefined) throw new HookFailure(hook, `gave a part in "${key}" that is none: ${brief(none)}.`)
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

/** It is stored, and read by people and models. */
function brief(value: unknown): string {
  const text = show(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
