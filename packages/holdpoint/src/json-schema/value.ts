/** A value before a schema is asked: as JSON has it, 4 MB at most, and without names that reach into prototypes. */
import { messageOf, parseJson, type Json } from '@holdpoint/core'
import { forbiddenName } from './forbidden-name.ts'

const MAX_CHARS = 4_000_000

type Read =
  | { readonly ok: true; readonly text: string; readonly value: Json }
  | { readonly ok: false; readonly why: string }

export function readValue(value: unknown): Read {
  const text = textOf(value)
  if (!text.ok) return text
  if (text.text.length > MAX_CHARS) return { ok: false, why: `it is larger than ${MAX_CHARS} characters of JSON` }
  const json = parseJson(text.text)
  if (!json.ok) return json
  const suspicious = text.text.includes('"__proto__"') || text.text.includes('"constructor"')
  const bad = suspicious ? forbiddenName(json.value) : undefined
  if (bad !== undefined) return { ok: false, why: `${bad}: is not allowed as a name` }
  return { ok: true, text: text.text, value: json.value }
}

function textOf(
  value: unknown,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } {
  try {
    const text: unknown = JSON.stringify(value ?? null)
    return typeof text === 'string' ? { ok: true, text } : { ok: false, why: `a ${typeof value} is not JSON` }
  } catch (error) {
    return { ok: false, why: `it is not JSON: ${messageOf(error)}` }
  }
}
