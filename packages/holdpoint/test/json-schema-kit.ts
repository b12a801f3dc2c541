import type { Checked, JsonObject } from '@holdpoint/core'
import { expect } from 'vitest'
import { compileJsonSchema } from '../src/json-schema.ts'

export function why(checked: Checked): string {
  return checked.ok ? 'it passed' : checked.why
}

/** What is wrong with the schema, in its own words. */
export function refusal(schema: JsonObject): string {
  try {
    compileJsonSchema(schema)
    return 'it was taken'
  } catch (error) {
    expect(error).toMatchObject({ name: 'HoldpointError', code: 'tool-invalid' })
    return (error as Error).message
  }
}

/** What is wrong with the value. */
export const check = (schema: JsonObject, value: unknown): string => why(compileJsonSchema(schema)(value))
