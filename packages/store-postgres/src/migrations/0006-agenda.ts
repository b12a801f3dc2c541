/**
 * What changes with every append has no index any more, so that the new version of a row takes the place of the old one
 * on its page and no index hears of it. What is found by its status or its deadline stands in a table of its own, the
 * agenda, which is written when one of them changes: twice in most turns, however many appends they have.
 *
 * The indexes of what is open are as narrow as their questions allow. Those that are equally old are sorted when asked.
 */
import { appendByAgenda } from './0006-append.ts'

export const agenda: string = `
lock table :schema.conversations, :schema.holds in access exclusive mode;

-- The conversations with something to do, now or at some time: those that are not idle, or have a deadline.
create table :schema.agenda (
  tenant text collate "C" not null,
  conv bigint not null,
  agent text collate "C" not null,
  status text collate "C" not null,
  wake_at double precision,
  primary key (tenant, conv)
) with (autovacuum_vacuum_scale_factor = 0.05);
insert into :schema.agenda (tenant, conv, agent, status, wake_at)
  select tenant, k, agent, status, wake_at from :schema.conversations
    where status <> 'idle' or wake_at is not null order by k;
create index agenda_wake on :schema.agenda (agent, wake_at) where wake_at is not null;
create index agenda_running on :schema.agenda (conv) where status = 'running';

drop index :schema.conversations_busy, :schema.conversations_running,
  :schema.conversations_wake, :schema.conversations_deadline;
-- Whoever knows k knows the tenant too, and finds it by both.
alter table :schema.conversations drop constraint conversations_pkey;
-- The place of a version that is over is taken by the next one, so there is room on a page without being left free.
alter table :schema.conversations set (fillfactor = 95);

drop index :schema.holds_open, :schema.holds_open_agent, :schema.holds_open_tool, :schema.holds_open_kind,
  :schema.holds_open_call;
alter table :schema.holds set (fillfactor = 100);
alter table :schema.holds alter column seqs type text using array_to_string(seqs, ',');
-- By its id first, for whoever knows a call and not where it waits.
alter table :schema.holds drop constraint holds_pkey, add primary key (call_id, conv);
create index holds_open_conv on :schema.holds (conv) where open;
create index holds_open on :schema.holds (tenant, held_at) where open;
create index holds_open_agent on :schema.holds (tenant, agent, held_at) where open;
create index holds_open_tool on :schema.holds (tenant, tool, held_at) where open;
create index holds_open_kind on :schema.holds (tenant, kind, held_at) where open;
${appendByAgenda}`
