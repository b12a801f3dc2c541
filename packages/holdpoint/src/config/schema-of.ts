/** A tool's schema as its configuration says it, checked where the operator wants it checked. */
import { messageOf, withJsonSchema, type Checked, type JsonObject, type StandardSchema } from '@holdpoint/core'
import type { ConfigEnv } from './config-env.ts'
import { object, wrong, type Read } from './fields.ts'

export function schemaOf({ schemas, tenant = '' }: ConfigEnv): Read<JsonObject> {
  return (value, path) => {
    const json = object(value, path)
    if (!schemas) return json
    try {
      const check = schemas.compileFor(tenant)(json)
      // A declaration takes either; its types tell what a handler is handed, which is the same for both.
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
