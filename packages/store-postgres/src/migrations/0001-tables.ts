/**
 * The tables. Times are those of JavaScript, in milliseconds, kept as the double they are. Text that is compared or
 * sorted has the collation C: it is faster, and no upgrade of the system's locale can change an index.
 */
export const tables = `
create table :schema.conversations (
  k bigint generated always as identity primary key,
  tenant text collate "C" not null,
  id text collate "C" not null,
  agent text collate "C" not null,
  head_seq bigint not null,
  epoch bigint not null,
  owner text collate "C",
  status text collate "C" not null,
  wake_at double precision,
  base text,
  base_seq bigint,
  created_at double precision not null,
  updated_at double precision not null,
  unique (tenant, id)
) with (
  -- Every append updates its row: room for that on the same page, and the state (which rarely changes) out of the way.
  fillfactor = 70,
  toast_tuple_target = 256,
  autovacuum_vacuum_scale_factor = 0.05
);
-- Every k is above 0. Said, it keeps this index to the question that says so too: on an empty table it looks as good as
-- the unique one for finding a conversation by its id, and a plan made then would be kept while the table grows.
create index conversations_newest on :schema.conversations (tenant, k) where k > 0;
create index conversations_busy on :schema.conversations (tenant, k) where status <> 'idle';
create index conversations_running on :schema.conversations (k) where status = 'running';
create index conversations_wake on :schema.conversations (agent, wake_at) where wake_at is not null;
-- Of any agent. Said as above, so that a question about one agent keeps to the index of agents.
create index conversations_deadline on :schema.conversations (wake_at) where wake_at is not null and k > 0;

-- One row for each append, at the seq of its last event. JSON as text: jsonb would drop U+0000 and the order of keys.
create table :schema.batches (
  conv bigint not null,
  seq bigint not null,
  at double precision not null,
  mark text not null,
  events text not null,
  primary key (conv, seq)
);

create table :schema.keys (
  conv bigint not null,
  key text collate "C" not null,
  seq bigint not null,
  primary key (conv, key)
);

-- Tenant and agent repeat what the conversation says, so that one index answers one question however many are open.
create table :schema.holds (
  conv bigint not null,
  call_id text collate "C" not null,
  tenant text collate "C" not null,
  agent text collate "C" not null,
  tool text collate "C" not null,
  kind text collate "C" not null,
  open boolean not null,
  held_at double precision not null,
  expires_at double precision not null,
  seqs bigint[] not null,
  primary key (conv, call_id)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
create index holds_open on :schema.holds (tenant, held_at, conv, call_id) where open;
create index holds_open_agent on :schema.holds (tenant, agent, held_at, conv, call_id) where open;
create index holds_open_tool on :schema.holds (tenant, tool, held_at, conv, call_id) where open;
create index holds_open_kind on :schema.holds (tenant, kind, held_at, conv, call_id) where open;

-- Kept beside the log, which can do without. JSON as text, as above.
create table :schema.notes (
  tenant text collate "C" not null,
  conv bigint not null,
  kind text collate "C" not null,
  seq bigint not null,
  at double precision not null,
  until double precision,
  data text not null,
  primary key (tenant, conv, kind, seq)
);
create index notes_until on :schema.notes (until) where until is not null;

create table :schema.nodes (
  node text collate "C" primary key,
  until double precision not null
);

-- The database's clock. \`shift\` is 0, except in tests, which move time.
create function :schema.now_ms(shift double precision) returns double precision
language sql volatile as $$ select floor(extract(epoch from clock_timestamp()) * 1000)::double precision + shift $$;

create function :schema.lives(node text, at double precision) returns boolean
language sql stable as $$ select exists (select 1 from :schema.nodes n where n.node = lives.node and n.until > lives.at) $$;
`
