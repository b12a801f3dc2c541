/** A deadline that is days away has no job: it would only take up room until it is answered. `due` finds it in time. */
import { appendTelling } from './0002-append.ts'

const NEAR = ':schema.near_until(shift)'

export const nearDeadlines: string = `
-- Until when a deadline is near enough to have one.
create function :schema.near_until(shift double precision) returns double precision
language sql volatile as $$ select :schema.now_ms(shift) + 3600000 $$;
${appendTelling({
  made: `given_wake is not null and given_wake < ${NEAR}`,
  changed: `given_wake is distinct from c.wake_at and least(given_wake, c.wake_at) < ${NEAR}`,
})}`
