/**
 * Arrays as PostgreSQL reads them. `pg` would write them too, with two replacements for every element, and take as long
 * for that as for everything else it does with an append.
 */

const SPECIAL = /["\\]/g

export function textArray(values: readonly (string | null | undefined)[]): string {
  let text = ''
  for (const value of values)
    text += value === null || value === undefined ? ',NULL' : `,"${value.replace(SPECIAL, '\\$&')}"`
  return `{${text.slice(1)}}`
}

/** Of what is never in need of quotes. */
export function plainArray(values: readonly (number | boolean | null | undefined)[]): string {
  let text = ''
  for (const value of values) text += value === null || value === undefined ? ',NULL' : `,${value}`
  return `{${text.slice(1)}}`
}
