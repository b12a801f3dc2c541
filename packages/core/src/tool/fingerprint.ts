/**
 * An approval is valid for one input and one fingerprint of the tool. The fingerprint covers what people and models read of a tool:
 * description, schemas and executor. It does not cover code, which has no stable text.
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
