/**
 * Arrays as the server reads them. The driver would write them too, but looks at every item to find out what it is, and
 * here a column is known to be of one kind.
 */

const TO_ESCAPE = /["\\]/g

export function textArray<T>(rows: readonly T[], of: (row: T) => string | undefined): string {
  let text = ''
  for (const row of rows) {
    const item = of(row)
    text += item === undefined ? ',NULL' : `,"${item.replace(TO_ESCAPE, '\\$&')}"`
  }
  return `{${text.slice(1)}}`
}

/** Of numbers or truth values: nothing in them needs to be escaped. */
export function plainArray<T>(rows: readonly T[], of: (row: T) => number | boolean | undefined): string {
  let text = ''
  for (const row of rows) text += `,${of(row) ?? 'NULL'}`
  return `{${text.slice(1)}}`
}
