/** Reads a tool's schema. It is validated in another thread if the operator configured `schemas`. */
import { messageOf, withJsonSchema, type Checked, type JsonObject, type StandardSchema } from '@holdpoint/core'
import type { ConfigEnv } from './config-env.ts'
import { object, wrong, type Read } from './fields.ts'

export function schemaOf({ schemas, tenant = '' }: ConfigEnv): Read<JsonObject> {
  return (value, path) => {
    const json = object(value, path)
    if (!schemas) return json
    try {
      const check = schemas.compileFor(tenant)(json)
      // A declaration accepts both kinds of schema. The types differ only in the handler's input, which is the same here.
      return withJsonSchema(standard(check), json) as unknown as JsonObject
    } catch (error) {
      throw wrong(path, `is not a JSON Schema that can be used: ${messageOf(error)}`, error)
    }
  }
}

function standard(check: (value: unknown) => Checked | Promise<Checked>): StandardSchema {
  const validate: StandardSchema['~standard']['validate'] = async (value) => {
    const checked = await check(value)
    return checked.ok ? { value: checked.value } : { issues: [{ message: checked.why }] }
  }
  return { '~standard': { version: 1, vendor: 'holdpoint', validate } }
}
