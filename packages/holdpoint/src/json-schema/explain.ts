/**
 * Ajv's errors as a message that a model can act on: `to: must be a string; body: is required`. It names the path and the rule, but
 * never the value, which may be long or secret.
 */
import type { ErrorObject } from 'ajv'

const MAX_PROBLEMS = 10
const MAX_FORMS = 4
const MAX_LISTED = 20
const MAX_CHARS = 200

interface Problem {
  readonly at: string
  readonly says: string
  readonly schemaPath: string
}

export function explain(errors: readonly ErrorObject[] | null | undefined): string {
  let problems: Problem[] = []
  // Only the first errors are shown, and there may be a million.
  for (const error of (errors ?? []).slice(0, 1000)) {
    // The errors of `then` or `else` are in the list already.
    if (error.keyword === 'if' && problems.length > 0) continue
    const isInner = ({ schemaPath }: Problem): boolean => schemaPath.startsWith(`${error.schemaPath}/`)
    problems = [...problems.filter((problem) => !isInner(problem)), ...merge(error, problems.filter(isInner))]
  }
  const lines = [...new Set(problems.map(line))]
  const more = lines.length - MAX_PROBLEMS
  return (
    `${lines.slice(0, MAX_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}` || 'it does not fit the schema'
  )
}

function line({ at, says }: Problem): string {
  return at === '' ? says : `${at}: ${says}`
}

/** The error of a combinator comes after those of its branches, and replaces them. */
function merge(error: ErrorObject, inner: readonly Problem[]): readonly Problem[] {
  const { keyword, schemaPath } = error
  const at = dotted(error.instancePath)
  if (keyword === 'anyOf' || (keyword === 'oneOf' && !error.params['passingSchemas'])) {
    const forms = [...new Set(inner.map((problem) => (problem.at === at ? problem.says : line(problem))))]
    const listed = forms.length > MAX_FORMS ? [...forms.slice(0, MAX_FORMS), '…'] : forms
    return [
      { at, says: listed.length === 0 ? 'matches none of the allowed schemas' : listed.join(', or '), schemaPath },
    ]
  }
  const name = nameOf(error)
  return [{ at: name === undefined ? at : joined(at, name), says: sentence(error), schemaPath }]
}

/** The member that an error is about. Ajv reports it at the object. */
function nameOf({ params }: ErrorObject): string | undefined {
  const name: unknown =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName']
  return typeof name === 'string' ? name : undefined
}

function sentence({ keyword, params, message }: ErrorObject): string {
  const { limit } = params
  switch (keyword) {
    case 'type':
      return `must be ${typesOf(params['type'])}`
    case 'required':
      return 'is required'
    case 'dependentRequired':
    case 'dependencies':
      return `is required when "${String(params['property'])}" is given`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known field'
    case 'propertyNames':
      return 'is not allowed as a name'
    case 'false schema':
    case 'not':
      return 'is not allowed'
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}`
    case 'const':
      return `must be ${short(params['allowedValue'])}`
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${String(params['comparison'])} ${String(limit)}`
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`
    case 'minLength':
      return `must have at least ${count(limit, 'character')}`
    case 'maxLength':
      return `must have at most ${count(limit, 'character')}`
    case 'minItems':
      return `must have at least ${count(limit, 'item')}`
    case 'maxItems':
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return `must have at most ${count(limit ?? params['len'], 'item')}`
    case 'minProperties':
      return `must have at least ${count(limit, 'field')}`
    case 'maxProperties':
      return `must have at most ${count(limit, 'field')}`
    case 'contains':
      return 'does not contain the right number of matching items'
    case 'uniqueItems':
      return 'must not contain the same item twice'
    case 'pattern':
      return `must match the pattern ${cut(String(params['pattern']))}`
    case 'oneOf':
      return 'matches more than one schema, and must match exactly one'
  }
  return message ?? `does not fit "${keyword}"`
}

function typesOf(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : [String(type)]
  return types.map((each) => (each === 'null' ? each : `${/^[aio]/.test(each) ? 'an' : 'a'} ${each}`)).join(' or ')
}

function count(limit: unknown, what: string): string {
  return `${String(limit)} ${what}${limit === 1 ? '' : 's'}`
}

function list(values: unknown): string {
  if (!Array.isArray(values)) return short(values)
  const shown = values.slice(0, MAX_LISTED).map(short).join(', ')
  return values.length > MAX_LISTED ? `${shown} and ${values.length - MAX_LISTED} more` : shown
}

function short(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value))
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}

/** Converts a JSON pointer to a dotted path: `/to/0/name` → `to.0.name`. */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

function joined(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
