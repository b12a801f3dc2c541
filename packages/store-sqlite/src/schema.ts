/**
 * What the file looks like. Each step takes it from one version to the next; a step that was released never changes.
 *
 * - `batches` is the log: one row per append, in the order of arrival, standing at the seq of its last event. The head of
 *   a conversation is the newest of them and is kept nowhere else, so that an append which changes nothing but the log
 *   writes two pages, not three.
 * - A hold names its tenant while it is open and nobody once it is closed. That is the flag, and what the indexes of
 *   everything pending begin with: a page of it costs the same however much else is open, by tool, kind and call too.
 * - A note has a row of its own and not a place in an index, since what it holds may be large. A document is small, and
 *   has its place in one; its id is written so that it sorts as JavaScript sorts (core's sortable.ts).
 * - Deadlines have two indexes: for whoever drives some agents, and for whoever drives them all.
 * - Times are `real`: whole milliseconds take the same six bytes as integers do, and a clock that counts finer is not an
 *   error.
 * - Names are written as in names.ts.
 */

/** "Hold", so that `file` and we can tell what this is. */
export const APPLICATION_ID = 0x486f6c64

const first = `
create table conversations(
  k          integer primary key,   -- in the order they were made
  tenant     text    not null,
  id         text    not null,
  agent      text    not null,
  status     text    not null,
  epoch      integer not null,
  owner      text,                  -- the node that drives it, or was the last to
  wake_at    real,
  created_at real    not null,
  base_seq   integer,
  base       text
) strict;
create unique index conversations_address on conversations(tenant, id);
create index conversations_newest on conversations(tenant, k);
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
  tenant     text,                  -- of the conversation, while it is open
  tool       text    not null,
  kind       text    not null,
  held_at    real    not null,
  expires_at real    not null,
  seqs       text    not null,
  primary key(conv, call_id)
) strict, without rowid;
create index holds_open on holds(tenant, kind, held_at, conv, call_id) where tenant is not null;
create index holds_of_tool on holds(tenant, tool, held_at, conv, call_id) where tenant is not null;

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

const callsByTheirId = `
create index holds_of_call on holds(tenant, call_id) where tenant is not null;
`

/** The version of a file is the number of steps it has behind it. */
export const STEPS: readonly string[] = [first, callsByTheirId]
