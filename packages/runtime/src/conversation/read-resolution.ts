/** Reads a resolution and its options, which come from people, browsers and other services. Unknown fields are dropped. */
import { messageOf } from '@holdpoint/core/internal/failure'
import { isObject, describeValue } from '@holdpoint/core/internal/json'
import { losslessJson } from '@holdpoint/core/internal/lossless-json'
import { principalOf } from '@holdpoint/core/internal/principal'
import type { Resolution } from '@holdpoint/core/internal/turn/hold'
import type { Resolve } from '@holdpoint/core/internal/turn/resolve'
import type { ResolveOptions } from '../session/session-options.ts'
import { PRINCIPAL_INVALID, isPrincipalOrId } from './check-principal.ts'

export type ResolutionRead = Pick<Resolve, 'resolution' | 'by' | 'hold' | 'kinds'> | { readonly why: string }

export function readResolution(given: unknown, { by, hold, kinds }: ResolveOptions): ResolutionRead {
  if (!isPrincipalOrId(by)) return { why: PRINCIPAL_INVALID }
  if (hold !== undefined && !Number.isInteger(hold))
    return { why: '"hold" is the number of one of the call’s holds, from 1.' }
  if (kinds !== undefined && !Array.isArray(kinds)) return { why: '"kinds" is a list of kinds of hold.' }
  try {
    const resolution = read(given)
    if (typeof resolution === 'string') return { why: resolution }
    return { resolution, by: principalOf(by), ...(hold !== undefined && { hold }), ...(kinds && { kinds }) }
  } catch (error) {
    return { why: `The resolution cannot be read: ${messageOf(error)}` }
  }
}

function read(given: unknown): Resolution | string {
  if (!isObject(given)) return 'A resolution is an object with a "kind": approve, reject or answer.'
  const { kind, input, reason, value, error } = given as Readonly<Record<string, unknown>>
  switch (kind) {
    case 'approve': {
      if (input === undefined) return { kind }
      const json = losslessJson(input)
      return json.ok ? { kind, input: json.value } : `The edited input is not JSON: ${json.why}`
    }
    case 'reject':
      if (reason === undefined) return { kind }
      return typeof reason === 'string' ? { kind, reason } : 'The "reason" of a rejection is text.'
    case 'answer': {
      if ('value' in given === 'error' in given) return 'An answer has either a "value" or an "error".'
      if ('error' in given) return typeof error === 'string' ? { kind, error } : 'The "error" of an answer is text.'
      const json = losslessJson(value)
      return json.ok ? { kind, value: json.value } : `The answer is not JSON: ${json.why}`
    }
    default:
      return `There is no resolution of kind ${describeValue(kind)}: use approve, reject or answer.`
  }
}
