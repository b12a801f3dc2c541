/**
 * Joins the conversation of a row, as `c`, with one lookup per row. The server assumes that a new table is empty, and an
 * ordinary join would then read all conversations for each row.
 */
export function joinConversation(schema: string, row: string): string {
  return `cross join lateral (
    select * from ${schema}.conversations where tenant = ${row}.tenant and k = ${row}.conv and k > 0 offset 0
  ) c`
}
