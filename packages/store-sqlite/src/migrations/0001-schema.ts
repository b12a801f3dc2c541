/**
 * The tables.
 *
 * - `batches` is the log: one row per append, in order of arrival, at the seq of its last event. The newest row of a
 *   conversation is its head. The head is stored nowhere else, so that an append writes two pages instead of three.
 * - A hold has a tenant only while it is open. The partial indexes start with the tenant, so reading one page of open holds
 *   costs the same however many are open.
 * - A note may be large, so `notes` is a table with rowids. A document is small, so `documents` is stored in its index. Its
 *   id is encoded so that bytes sort as JavaScript sorts strings (`sortableKey`).
 * - `conversation_labels` and `hold_labels` are indexes, kept by `labels.ts`: lists with labels read them in order. Each open
 *   hold is in `hold_labels` under its own labels (`own` = 1) and under those of its conversation (`own` = 0), so that no
 *   list has to look at every conversation with a label.
 * - Deadlines have two indexes: for a process that drives some agents, and for one that drives all.
 * - Times are `real`. Whole milliseconds take the same six bytes as an integer, and a clock with fractions is not an error.
 * - column-name.ts says how names are encoded.
 */
export const schema = `
create table conversations(
  k          integer primary key,   -- in order of creation
  tenant     text    not null,
  id         text    not null,
  agent      text    not null,
  status     text    not null,
  epoch      integer not null,
  owner      text,                  -- the node that drives it, or the last that did
  wake_at    real,
  created_at real    not null,
  base_seq   integer,
  base       text,
  labels     text,                  -- JSON; null for none
  hidden     integer not null default 0
) strict;
create unique index conversations_address on conversations(tenant, id);
create index conversations_newest on conversations(tenant, k) where hidden = 0;
create index conversations_held on conversations(tenant, k) where status = 'held';
create index conversations_running on conversations(owner) where status = 'running';
create index conversations_wake on conversations(agent, wake_at) where wake_at is not null;
create index conversations_deadline on conversations(wake_at) where wake_at is not null;

create table batches(
  pos    integer primary key,
  conv   integer not null,
  seq    integer not null,
  at     real    not null,
  mark   text    not null,
  events text    not null
) strict;
create unique index batches_seq on batches(conv, seq);

create table holds(
  conv       integer not null,
  call_id    text    not null,
  tenant     text,                  -- null once the hold is closed
  tool       text    not null,
  kind       text    not null,
  held_at    real    not null,
  expires_at real    not null,
  seqs       text    not null,
  labels     text,                  -- JSON; null for none
  primary key(conv, call_id)
) strict, without rowid;
create index holds_open on holds(tenant, kind, held_at, conv, call_id) where tenant is not null;
create index holds_of_tool on holds(tenant, tool, held_at, conv, call_id) where tenant is not null;

-- Finds a settled call too. A call's id never changes, so each row is indexed once.
create index holds_of_call on holds(call_id, conv);

create table conversation_labels(
  tenant text    not null,
  label  text    not null,
  conv   integer not null,
  primary key(tenant, label, conv)
) strict, without rowid;

create table hold_labels(
  tenant  text    not null,
  own     integer not null,
  label   text    not null,
  held_at real    not null,
  conv    integer not null,
  call_id text    not null,
  primary key(tenant, own, label, held_at, conv, call_id)
) strict, without rowid;

create table keys(
  conv integer not null,
  key  text    not null,
  seq  integer not null,
  primary key(conv, key)
) strict, without rowid;

create table notes(
  pos   integer primary key,
  conv  integer not null,
  kind  text    not null,
  seq   integer not null,
  at    real    not null,
  until real,
  data  text    not null
) strict;
create unique index notes_place on notes(conv, kind, seq);
create index notes_until on notes(until) where until is not null;

create table documents(
  tenant  text    not null,
  kind    text    not null,
  id      text    not null,
  version integer not null,
  at      real    not null,
  until   real,
  data    text    not null,
  primary key(tenant, kind, id)
) strict, without rowid;
create index documents_until on documents(until) where until is not null;

create table nodes(
  id         text primary key,
  expires_at real not null
) strict, without rowid;
`
