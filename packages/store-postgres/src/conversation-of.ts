/**
 * Joins the conversation that a row belongs to, as `c`. One lookup for each row, whatever the server believes of its
 * tables: of new ones it believes that they are empty, and an ordinary join of those reads all conversations for each row.
 */
export function conversationOf(schema: string, row: string): string {
  return `cross join lateral (
    select * from ${schema}.conversations where tenant = ${row}.tenant and k = ${row}.conv and k > 0 offset 0
  ) c`
}
