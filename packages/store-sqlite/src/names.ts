/**
 * Names (of tenants, conversations, nodes, calls, …) as columns hold them. They come from outside, and JavaScript strings
 * can hold halves of surrogate pairs, which UTF-8 cannot: two different ids would become one. Such a name is written as
 * JSON, which escapes them; so is one that begins with a quote, so that the two cannot be confused.
 */
export function toColumn(name: string): string {
  return name.startsWith('"') || !name.isWellFormed() ? JSON.stringify(name) : name
}

export function fromColumn(column: string): string {
  return column.startsWith('"') ? (JSON.parse(column) as string) : column
}
