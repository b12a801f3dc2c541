/** Structured output: a turn whose final text must be JSON that fits a schema. */
import { parseJson, type JsonObject } from '../json.ts'
import type { OutputPlan } from '../log/log-event.ts'
import { isStandard, toSchema, type Checked, type CompileJsonSchema, type StandardSchema } from '../tool/schema.ts'

/** A schema with a name and a description that the model may see. */
export interface OutputRequest {
  readonly name?: string
  readonly description?: string
  readonly schema: StandardSchema | JsonObject
}

export interface OutputRule {
  readonly plan: OutputPlan
  check(text: string): Promise<Checked>
}

export function outputRule(given: StandardSchema | OutputRequest | undefined, finalize: boolean, compile: CompileJsonSchema | undefined): OutputRule | undefined {
  if (given === undefined) return undefined
  const { name, description, schema: source }: OutputRequest = isStandard(given) ? { schema: given } : given
  const schema = toSchema(source, 'The output schema', compile)
  const spec = { schema: schema.json, ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
  return {
    plan: { spec, finalize },
    check: async (text) => {
      const parsed = parseJson(text)
      return parsed.ok ? schema.check(parsed.value) : { ok: false, why: `the reply is not JSON: ${parsed.why}` }
    },
  }
}
