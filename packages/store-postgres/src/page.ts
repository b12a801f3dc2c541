/** The pages of lists: their parameters, limits and cursors. */
import { HoldpointError, type Page } from '@holdpoint/core'
import { fromStored, toStored } from './stored-name.ts'

/** Caps an infinite limit to a number that the server accepts. */
export const MAX_ROWS = 1_000_000_000

export type Bind = (value: unknown) => string

/** Collects bound parameters. Values are never inserted into the SQL text. */
export function binds(): { readonly values: unknown[]; readonly bind: Bind } {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => readonly (number | string)[],
): Page<Item> {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { items: page.map(toItem), next: last && JSON.stringify(cursorOf(last)) }
}

/** Validates the cursor, which comes from a client. */
export function readCursor(after: string, shape: readonly ((value: unknown) => boolean)[]): readonly unknown[] {
  try {
    const cursor: unknown = JSON.parse(after)
    if (Array.isArray(cursor) && cursor.length === shape.length) {
      const values: readonly unknown[] = cursor
      if (shape.every((check, index) => check(values[index]))) return values
    }
  } catch {
    // Reported below.
  }
  throw new HoldpointError(
    'config-invalid',
    `after: ${JSON.stringify(after)} is not a valid cursor: use the \`next\` of a page.`,
  )
}

export const isNumber = (value: unknown): boolean => typeof value === 'number'
export const isKey = (value: unknown): boolean => Number.isSafeInteger(value)
export const isText = (value: unknown): boolean => typeof value === 'string' && toStored(fromStored(value)) === value
