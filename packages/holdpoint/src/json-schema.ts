/** Checks raw JSON Schemas with Ajv. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Checked, CompileJsonSchema } from '@holdpoint/core'

export const compileJsonSchema: CompileJsonSchema = (schema) => {
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema)
  return (value): Checked => (validate(value) ? { ok: true, value } : { ok: false, why: JSON.stringify(validate.errors) })
}
