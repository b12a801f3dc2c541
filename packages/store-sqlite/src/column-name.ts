/**
 * Encodes names (of tenants, conversations, nodes, calls, …) for columns. A JavaScript string can contain lone surrogates,
 * which UTF-8 cannot: two different ids would become one. Such a name is stored as JSON, which escapes them. A name that
 * starts with a quote is stored as JSON too, so that the two cannot be confused.
 */
export function toColumn(name: string): string {
  return name.startsWith('"') || !name.isWellFormed() ? JSON.stringify(name) : name
}

export function fromColumn(column: string): string {
  return column.startsWith('"') ? (JSON.parse(column) as string) : column
}
