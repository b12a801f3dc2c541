/**
 * A query for every agent that has a deadline: each is found behind the one before, in the index of deadlines, so it costs
 * as much as there are agents, however many deadlines these have.
 */
export function agentsWithDeadlines(schema: string): string {
  const first = (where: string): string =>
    `select agent from ${schema}.agenda where wake_at is not null ${where} order by agent limit 1`
  return `select agent from (
    with recursive found as (
      (${first('')}) union all select (${first('and agent > found.agent')}) from found where found.agent is not null
    ) select agent from found
  ) agents where agent is not null`
}
