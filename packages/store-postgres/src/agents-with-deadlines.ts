/**
 * A query for all agents with a deadline. It skips from agent to agent along the index of deadlines, so its cost grows with
 * the number of agents and not of deadlines.
 */
export function agentsWithDeadlines(schema: string): string {
  const first = (where: string): string =>
    `select agent from ${schema}.agenda /* all tenants */ where wake_at is not null ${where} order by agent limit 1`
  return `select agent from (
    with recursive found as (
      (${first('')}) union all select (${first('and agent > found.agent')}) from found where found.agent is not null
    ) select agent from found
  ) agents where agent is not null`
}
