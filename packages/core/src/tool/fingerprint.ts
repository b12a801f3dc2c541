/**
 * What an approval is bound to besides the input: everything of a tool's definition that a person or a model judged it
 * by. Code is not part of it (it has no stable text); description, schemas and executor are.
 */
import { canonical, type Json, type JsonObject } from '../json.ts'
import { sha256 } from '../sha256.ts'

export function fingerprint(definition: {
  readonly name: string
  readonly description: string
  readonly executor: string
  readonly input: JsonObject
  readonly output: JsonObject | undefined
}): string {
  const { name, description, executor, input, output } = definition
  return sha256(canonical({ name, description, executor, input, output: output ?? null }))
}

export function inputHash(input: Json): string {
  return sha256(canonical(input))
}
