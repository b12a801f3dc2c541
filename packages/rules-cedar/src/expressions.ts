/** Expressions of Cedar in its JSON form. */
import type { CedarValueJson, Expr } from '@cedar-policy/cedar-wasm/nodejs'

export const context: Expr = { Var: 'context' }

export function constant(value: CedarValueJson): Expr {
  return { Value: value }
}

export function set(values: readonly string[]): Expr {
  return { Set: values.map(constant) }
}

export function get(left: Expr, attr: string): Expr {
  return { '.': { left, attr } }
}

export function has(left: Expr, attr: string): Expr {
  return { has: { left, attr } }
}

export function equal(left: Expr, right: Expr): Expr {
  return { '==': { left, right } }
}

export function not(arg: Expr): Expr {
  return { '!': { arg } }
}

/** Balanced, because a deep expression is refused. The order stays: a part may rely on those before it. */
export function all(parts: readonly Expr[]): Expr {
  return joined('&&', parts, constant(true))
}

export function any(parts: readonly Expr[]): Expr {
  return joined('||', parts, constant(false))
}

function joined(operator: '&&' | '||', parts: readonly Expr[], none: Expr): Expr {
  const [first = none] = parts
  if (parts.length <= 1) return first
  const middle = Math.ceil(parts.length / 2)
  const left = joined(operator, parts.slice(0, middle), none)
  const right = joined(operator, parts.slice(middle), none)
  return operator === '&&' ? { '&&': { left, right } } : { '||': { left, right } }
}
