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

/** The output after the schema's defaults and transforms. */
export async function outputOf(
  { text, output }: { readonly text: string; readonly output: unknown },
  rule: OutputRule,
): Promise<unknown> {
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

export function isRuleOf(rule: OutputRule, plan: OutputPlan): boolean {
  return sameJson(rule.plan.spec.schema, plan.spec.schema)
}

/** The rule of a turn: it has the schema that it began with. The caller's schema object is used if it is the same one. */
export function ruleOf(
  plan: OutputPlan,
  here: OutputRule | undefined,
  compile: CompileJsonSchema | undefined,
): OutputRule {
  if (here && isRuleOf(here, plan)) return here
  return outputRule(plan.spec, plan.finalize, compile)
}
