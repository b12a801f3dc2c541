/**
 * Array literals for PostgreSQL. `pg` can encode arrays too, with two replacements per element, which takes as long as all
 * its other work for an append.
 */

const SPECIAL = /["\\]/g

export function textArray(values: readonly (string | null | undefined)[]): string {
  let text = ''
  for (const value of values)
    text += value === null || value === undefined ? ',NULL' : `,"${value.replace(SPECIAL, '\\$&')}"`
  return `{${text.slice(1)}}`
}

/** For elements that never need quotes. */
export function plainArray(values: readonly (number | boolean | null | undefined)[]): string {
  let text = ''
  for (const value of values) text += value === null || value === undefined ? ',NULL' : `,${value}`
  return `{${text.slice(1)}}`
}
