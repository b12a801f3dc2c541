/** The schemas that tools of the AI SDK have: a Standard Schema such as Zod's, `jsonSchema()`, or a function that returns one. */
import { HoldpointError, isObject, withJsonSchema, type AnySchema, type StandardSchema } from '@holdpoint/core'

/** `ai` marks its own schemas with this symbol, in every version that is installed. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema')

export function foreignSchema(given: unknown, what: string): AnySchema {
  if (given === undefined) return { type: 'object', properties: {} }
  if (typeof given === 'function' && !('~standard' in given)) return foreignSchema((given as () => unknown)(), what)
  if (isMarked(given)) return fromMarked(given, what)
  return given as AnySchema
}

interface Marked {
  readonly jsonSchema: unknown
  readonly validate?: (value: unknown) => Validated | PromiseLike<Validated>
}

type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error }

function isMarked(given: unknown): given is Marked {
  return typeof given === 'object' && given !== null && AI_SCHEMA in given
}

function fromMarked({ jsonSchema, validate }: Marked, what: string): AnySchema {
  if (!isObject(jsonSchema) || typeof (jsonSchema as { readonly then?: unknown }).then === 'function')
    throw new HoldpointError('tool-invalid', `${what} gives its JSON Schema later, as a promise. Await it first.`)
  if (!validate) return jsonSchema
  const schema: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'ai',
      validate: async (value) => {
        const checked = await validate(value)
        return checked.success ? { value: checked.value } : { issues: [{ message: checked.error.message }] }
      },
    },
  }
  return withJsonSchema(schema, jsonSchema)
}
