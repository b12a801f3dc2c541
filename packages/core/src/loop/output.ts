/** Structured output: a turn whose final text must be JSON that fits a schema. */
import { parseJson, sameJson, type JsonObject } from '../json.ts'
import type { OutputPlan } from '../log/log-event.ts'
import type { Checked, CompileJsonSchema } from '../ports.ts'
import { isStandard, toSchema, type StandardSchema } from '../tool/schema.ts'

/** A schema with a name and a description that the model may see. */
export interface OutputRequest {
  readonly name?: string
  readonly description?: string
  readonly schema: StandardSchema | JsonObject
}

/** What the schema makes of the result: its defaults and transforms. Without the schema at hand, the result as it was said. */
export async function outputOf(
  { text, output }: { readonly text: string; readonly output: unknown },
  rule: OutputRule | undefined,
): Promise<unknown> {
  if (!rule) return output
  const checked = await rule.check(text)
  return checked.ok ? checked.value : output
}

export interface OutputRule {
  readonly plan: OutputPlan
  check(text: string): Promise<Checked>
}

export function outputRule(
  given: StandardSchema | OutputRequest,
  finalize: boolean,
  compile: CompileJsonSchema | undefined,
): OutputRule {
  const { name, description, schema: source }: OutputRequest = isStandard(given) ? { schema: given } : given
  const schema = toSchema(source, 'The output schema', compile)
  const spec = {
    schema: schema.json,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }
  return {
    plan: { spec, finalize },
    check: async (text) => {
      const parsed = parseJson(text)
      return parsed.ok ? schema.check(parsed.value) : { ok: false, why: `the reply is not JSON: ${parsed.why}` }
    },
  }
}

/** A turn is bound to the schema it began with: the caller's own, if that is still at hand, or what the log kept of it. */
export function ruleOf(
  plan: OutputPlan,
  here: OutputRule | undefined,
  compile: CompileJsonSchema | undefined,
): OutputRule {
  if (here && sameJson(here.plan.spec.schema, plan.spec.schema)) return here
  return outputRule(plan.spec, plan.finalize, compile)
}
