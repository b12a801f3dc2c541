/**
 * The schema. `:schema` stands for its name.
 *
 * - Times are JavaScript milliseconds, stored as double precision. Text that is compared or sorted has the collation "C":
 *   it is faster, and no upgrade of the system's locale can change the order of an index.
 * - JSON is stored as text. `jsonb` would drop U+0000 and the order of keys.
 * - Every append updates its row in `conversations`. The columns that change have no index, so PostgreSQL can update the
 *   row in place (HOT). `agenda` holds the status and the deadline of conversations with work, and is only written when
 *   one of them changes: about twice per turn, however many appends the turn has.
 *
 * `append_together` is the hot path. It handles all appends of a call in one statement, because starting a statement costs
 * as much as writing a row.
 *
 * - A call contains each conversation at most once, and the caller sorts them, so that two calls cannot deadlock.
 * - It does not lock a conversation before it reads it. An append that loses a race is refused by the same rules as one
 *   that came too late. If no rule refuses it, the function raises `serialization_failure`, and the caller retries.
 * - The statements iterate over array subscripts. Each row is found by an index in a subselect with a limit and updated by
 *   its ctid. PostgreSQL caches the plan, perhaps while the table is empty, and this plan never scans a whole table.
 */
import { documents } from '../schema/documents.ts'
import { labels } from '../schema/labels.ts'

export const schema: string = `
create table :schema.conversations (
  k bigint generated always as identity,
  tenant text collate "C" not null,
  id text collate "C" not null,
  agent text collate "C" not null,
  head_seq bigint not null,
  epoch bigint not null,
  owner text collate "C",
  status text collate "C" not null,
  wake_at double precision,
  base text, base_seq bigint,
  created_at double precision not null, updated_at double precision not null,
  -- The size of its events.
  bytes bigint not null default 0,
  -- Whether it or one of its holds has labels, or had some.
  labeled boolean not null default false,
  hidden boolean not null default false,
  unique (tenant, id)
) with (
  -- An update reuses the space of the row's dead version, so a page needs little free space. The state rarely changes
  -- and is stored out of line.
  fillfactor = 95,
  toast_tuple_target = 256,
  autovacuum_vacuum_scale_factor = 0.05
);
-- "k > 0" is always true. It keeps the planner from using this index to find a conversation by its id: on an empty table
-- it looks as cheap as the unique index, and the cached plan would stay in use while the table grows.
create index conversations_newest on :schema.conversations (tenant, k) where k > 0;

create index conversations_shown on :schema.conversations (tenant, k) where not hidden;

-- One row per append, at the seq of its last event. \`follows\`: the seq before its first event, when the batch that ended
-- there was erased. It is null for all others.
create table :schema.batches (
  conv bigint not null, seq bigint not null,
  at double precision not null, mark text not null, events text not null,
  follows bigint,
  primary key (conv, seq)
);

create table :schema.keys (
  conv bigint not null, key text collate "C" not null, seq bigint not null,
  primary key (conv, key)
);

-- The conversations that are not idle or have a deadline.
create table :schema.agenda (
  tenant text collate "C" not null,
  conv bigint not null,
  agent text collate "C" not null,
  status text collate "C" not null,
  wake_at double precision,
  primary key (tenant, conv)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index agenda_wake on :schema.agenda (agent, wake_at) where wake_at is not null;
create index agenda_running on :schema.agenda (conv) where status = 'running';

-- Repeats the tenant and the agent of the conversation, so that one index answers each query. The primary key starts with
-- the call, for callers that know only its id. Holds with the same \`held_at\` are sorted when they are read.
create table :schema.holds (
  conv bigint not null,
  call_id text collate "C" not null,
  tenant text collate "C" not null,
  agent text collate "C" not null,
  tool text collate "C" not null,
  kind text collate "C" not null,
  open boolean not null,
  held_at double precision not null, expires_at double precision not null, seqs text not null,
  primary key (call_id, conv)
) with (fillfactor = 100, autovacuum_vacuum_scale_factor = 0.05);
create index holds_of_conv on :schema.holds (conv, open);
create index holds_open on :schema.holds (tenant, held_at) where open;
create index holds_open_agent on :schema.holds (tenant, agent, held_at) where open;
create index holds_open_tool on :schema.holds (tenant, tool, held_at) where open;
create index holds_open_kind on :schema.holds (tenant, kind, held_at) where open;

-- Optional data beside the log.
create table :schema.notes (
  tenant text collate "C" not null,
  conv bigint not null,
  kind text collate "C" not null,
  seq bigint not null,
  at double precision not null, until double precision, data text not null,
  primary key (tenant, conv, kind, seq)
);
create index notes_until on :schema.notes (until) where until is not null;

${labels}
create table :schema.nodes (node text collate "C" primary key, until double precision not null);

-- The database's clock. \`shift\` is 0, except in tests.
create function :schema.now_ms(shift double precision) returns double precision
language sql volatile as $$ select floor(extract(epoch from clock_timestamp()) * 1000)::double precision + shift $$;

-- The dispatcher creates jobs only for deadlines before this time. \`due\` finds the others later.
create function :schema.near_until(shift double precision) returns double precision
language sql volatile as $$ select :schema.now_ms(shift) + 3600000 $$;

-- Whether the node has a lease.
create function :schema.node_alive(node text, at double precision) returns boolean
language sql stable as $$ select exists (select 1 from :schema.nodes n where n.node = node_alive.node and n.until > node_alive.at) $$;

${documents}
-- All arrays have one element per append, except the \`hold_\` arrays: \`hold_ops\` holds the append of each element. \`hiddens\`,
-- \`erasures\` and \`hold_marks\` list appends: the last, those with labels of holds. Labels are encoded for \`labels_in\`; null
-- leaves those of a conversation as they are.
-- Returns one row. \`made\` lists the appends that were written (null: all), followed by their conversations, epochs and
-- flags (1: the caller owns it, 2: its deadline is new and near, 4: it has work and no live owner). \`refusals\` says why
-- the others were not written.
create function :schema.append_together(
  shift double precision,
  tenants text[], ids text[], expecteds bigint[], heads bigint[], marks text[], batches text[], ats double precision[],
  agents text[], statuses text[], wakes double precision[], bases text[], epochs bigint[], nodes text[], keys text[],
  hold_ops int[], hold_calls text[], hold_tools text[], hold_kinds text[], hold_opens boolean[],
  hold_helds double precision[], hold_ends double precision[], hold_seqs text[],
  hiddens int[], erasures int[], labels text[], hold_labels text[], hold_marks int[],
  out made text, out convs text, out made_epochs text, out made_flags text, out refusals json
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  now double precision := floor(extract(epoch from clock_timestamp()) * 1000)::double precision + shift;
  one int;
  found int;
  -- The appends that were written, their conversations, new epochs and flags.
  fine int[];
  ks bigint[];
  placed bigint[];
  new_epochs bigint[];
  flags int[];
  -- The appends whose conversation enters the agenda, changes in it, leaves it, or got another agent.
  come int[];
  stay int[];
  leave int[];
  renamed int[];
  -- The appends whose conversation is \`labeled\`.
  marked int[];
  overtaken boolean;
begin
  -- A new conversation is inserted empty. The update below treats it like any other.
  if 0 = any(expecteds) then
    insert into :schema.conversations (tenant, id, agent, head_seq, epoch, status, created_at, updated_at)
      select tenants[i], ids[i], agents[i], 0, 0, 'idle', ats[i], ats[i] from generate_subscripts(ids, 1) as i
        where expecteds[i] = 0 and coalesce(epochs[i], 0) = 0
      on conflict (tenant, id) do nothing;
  end if;

  -- The node whose append starts a turn becomes the owner, unless the current owner is alive.
  with moved as (
    update :schema.conversations as c set
      head_seq = heads[o.i],
      epoch = o.epoch + o.takes::int,
      owner = case when o.takes then nodes[o.i] else o.owner end,
      agent = agents[o.i],
      status = statuses[o.i],
      wake_at = wakes[o.i],
      base = case when o.i = any(erasures) then bases[o.i] else coalesce(bases[o.i], c.base) end,
      base_seq = case
        when bases[o.i] is not null then heads[o.i]
        when o.i = any(erasures) then null
        else c.base_seq end,
      updated_at = ats[o.i],
      bytes = octet_length(batches[o.i]) + case when o.i = any(erasures) then 0 else c.bytes end,
      labeled = c.labeled or coalesce(labels[o.i] <> '', false) or o.i = any(hold_marks),
      hidden = o.i = any(hiddens)
    from (
      select i, was.* from generate_subscripts(ids, 1) as i
      cross join lateral (
        select k, ctid as place, epoch, owner, agent, wake_at,
            status <> 'idle' or wake_at is not null as stirred,
            status <> statuses[i] or wake_at is distinct from wakes[i] or agent <> agents[i] as differs,
            case
              when epochs[i] is not null or statuses[i] <> 'running' or nodes[i] is null then false
              when status <> 'running' then true
              else not exists (select 1 from :schema.nodes n where n.node = owner and n.until > now) end as takes
          from :schema.conversations
          where tenant = tenants[i] and id = ids[i] and head_seq = expecteds[i] and epoch = coalesce(epochs[i], epoch)
            and (keys[i] is null or (select 1 from :schema.keys u where u.conv = k and u.key = keys[i] limit 1) is null)
          limit 1
      ) was
    ) o
    where c.ctid = o.place and c.k = o.k and c.head_seq = expecteds[o.i] and c.epoch = o.epoch
    returning o.i, c.k, c.epoch, c.owner, c.labeled, o.agent, o.wake_at, o.stirred, o.differs,
      c.status <> 'idle' or c.wake_at is not null as stirs
  )
  select array_agg(i), array_agg(k), array_agg(epoch),
      array_agg(
        case when owner = nodes[i] then 1 else 0 end
        + case when wake_at is distinct from wakes[i] and least(wake_at, wakes[i]) < now + 3600000 then 2 else 0 end
        + case when epochs[i] is null and statuses[i] = 'running'
            and not exists (select 1 from :schema.nodes n where n.node = owner and n.until > now) then 4 else 0 end
      ),
      array_agg(i) filter (where stirs and not stirred),
      array_agg(i) filter (where stirs and stirred and differs),
      array_agg(i) filter (where not stirs and stirred),
      array_agg(i) filter (where agent <> agents[i]),
      array_agg(i) filter (where labeled)
    into fine, ks, new_epochs, flags, come, stay, leave, renamed, marked
    from (select * from moved order by i) as m;

  convs := array_to_string(ks, ',');
  made_epochs := array_to_string(new_epochs, ',');
  made_flags := array_to_string(flags, ',');

  -- The reasons of the others: another append was first (perhaps an earlier attempt of this one), another node owns the
  -- conversation, or the key was used.
  if fine is null or cardinality(fine) < cardinality(ids) then
    select json_agg(json_build_object('nth', i, 'result', result, 'seq', seq, 'epoch', epoch, 'owned', owned,
          'at', at, 'events', events)), bool_or(result is null)
      into refusals, overtaken
      from (
        select i, c.epoch, coalesce(c.owner = nodes[i], false) as owned, again.at, again.events,
            coalesce(again.seq, used.seq) as seq,
            case
              when c.k is null then case when expecteds[i] = 0 then 'fenced' else 'conflict' end
              when again.seq is not null then 'again'
              when c.head_seq <> expecteds[i] then case when used.seq is null then 'conflict' else 'repeated' end
              when c.epoch <> epochs[i] then 'fenced'
              when used.seq is not null then 'repeated' end as result
          from generate_subscripts(ids, 1) as i
          left join lateral (
            select * from :schema.conversations where tenant = tenants[i] and id = ids[i] limit 1
          ) c on true
          left join lateral (select seq from :schema.keys u where u.conv = c.k and u.key = keys[i] limit 1) used on true
          -- The next batch starts at the expected seq only if another batch ends there.
          left join lateral (
            select b.* from (select * from :schema.batches where conv = c.k and seq > expecteds[i] order by seq limit 1) b
              where b.mark = marks[i]
                and case
                  when b.follows is not null then b.follows = expecteds[i]
                  when expecteds[i] = 0 then true
                  else (select 1 from :schema.batches where conv = c.k and seq = expecteds[i] limit 1) = 1 end
          ) again on true
          where fine is null or i <> all(fine)
      ) why;
    -- Another process wrote between the read and the update, and no rule refuses this append.
    if overtaken then
      raise serialization_failure using message = 'another process wrote to the conversation at the same time';
    end if;
    if fine is null then
      made := '';
      return;
    end if;
    made := array_to_string(fine, ',');
    -- The statements below index the conversations by append.
    for one in 1..cardinality(fine) loop
      placed[fine[one]] := ks[one];
    end loop;
    ks := placed;
  end if;

  if erasures <> '{}' then
    foreach one in array erasures loop
      if one = any(fine) then perform :schema.erase(tenants[one], ks[one]); end if;
    end loop;
  end if;
  insert into :schema.batches (conv, seq, at, mark, events, follows)
    select ks[i], heads[i], ats[i], marks[i], batches[i], case when i = any(erasures) then expecteds[i] end
      from unnest(fine) as i;
  if array_remove(keys, null) <> '{}' then
    insert into :schema.keys (conv, key, seq)
      select ks[i], keys[i], heads[i] from unnest(fine) as i where keys[i] is not null;
  end if;

  if come is not null then
    insert into :schema.agenda (tenant, conv, agent, status, wake_at)
      select tenants[i], ks[i], agents[i], statuses[i], wakes[i] from unnest(come) as i;
  end if;
  if stay is not null then
    update :schema.agenda as a set agent = agents[i], status = statuses[i], wake_at = wakes[i]
      from unnest(stay) as i
        cross join lateral (select ctid as place from :schema.agenda where tenant = tenants[i] and conv = ks[i] limit 1) p
      where a.ctid = p.place;
  end if;
  if leave is not null then
    delete from :schema.agenda as a
      using unnest(leave) as i
        cross join lateral (select ctid as place from :schema.agenda where tenant = tenants[i] and conv = ks[i] limit 1) p
      where a.ctid = p.place;
  end if;

  if renamed is not null then
    foreach one in array renamed loop
      update :schema.holds set agent = agents[one] where conv = ks[one] and open;
    end loop;
  end if;
  if hold_ops <> '{}' then
    update :schema.holds as h set
      agent = agents[i], tool = hold_tools[j], kind = hold_kinds[j], open = hold_opens[j],
      held_at = hold_helds[j], expires_at = hold_ends[j], seqs = hold_seqs[j]
    from unnest(hold_ops) with ordinality as o(i, j)
      cross join lateral (
        select ctid as place from :schema.holds where call_id = hold_calls[j] and conv = ks[i] limit 1
      ) p
    where h.ctid = p.place;
    get diagnostics found = row_count;
    if found < cardinality(hold_ops) then
      insert into :schema.holds (conv, call_id, tenant, agent, tool, kind, open, held_at, expires_at, seqs)
        select ks[i], hold_calls[j], tenants[i], agents[i], hold_tools[j], hold_kinds[j], hold_opens[j], hold_helds[j],
            hold_ends[j], hold_seqs[j]
          from unnest(hold_ops) with ordinality as h(i, j) where ks[i] is not null
        on conflict (call_id, conv) do nothing;
    end if;
  end if;
  if marked is not null then
    perform :schema.write_labels(
      marked, tenants, ks, labels, hold_ops, hold_calls, hold_opens, hold_helds, hold_labels
    );
  end if;
end $$;
`
