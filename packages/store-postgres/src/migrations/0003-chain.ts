/**
 * The hash chain of each log (core's `chain.ts`). `append_chained` is `append_together` with two more arguments: the hashes that the
 * appends follow (`befores`; null: not compared), and their own (`hashes`). Batches that were written before have no hash.
 *
 * Processes of the previous version may still run. Their function remains, and what it writes has no hash: the chain of that log ends,
 * and the next append of this version begins another one.
 *
 * The function is long, and only a few lines change, so the migration lists those. A change that is found nowhere fails it.
 */
const CHANGES: readonly (readonly [string, string])[] = [
  ['append_together', 'append_chained'],
  ['hold_marks integer[], OUT', 'hold_marks integer[], befores bytea[], hashes bytea[], OUT'],
  // A conversation is only made by an append that will be written to it.
  [
    'where expecteds[i] = 0 and coalesce(epochs[i], 0) = 0',
    `where expecteds[i] = 0 and (epochs[i] is null or epochs[i] = 0 and nodes[i] is null) and coalesce(befores[i], '') = ''`,
  ],
  ['head_seq = heads[o.i],', `head_seq = heads[o.i], head_hash = coalesce(hashes[o.i], ''),`],
  // After a lossy fail-over, an epoch may be given out again, to another node.
  [
    'and head_seq = expecteds[i] and epoch = coalesce(epochs[i], epoch)',
    `and head_seq = expecteds[i] and head_hash = coalesce(befores[i], head_hash) and epoch = coalesce(epochs[i], epoch)
            and (epochs[i] is null or nodes[i] is null or owner = nodes[i])`,
  ],
  [
    'and c.head_seq = expecteds[o.i] and c.epoch = o.epoch',
    'and c.head_seq = expecteds[o.i] and c.head_hash = coalesce(befores[o.i], c.head_hash) and c.epoch = o.epoch',
  ],
  [`'events', events))`, `'events', events, 'hash', hash))`],
  ['again.at, again.events,', `again.at, again.events, encode(again.hash, 'hex') as hash,`],
  [
    `when c.k is null then case when expecteds[i] = 0 then`,
    `when c.k is null then case when expecteds[i] = 0 and coalesce(befores[i], '') = '' then`,
  ],
  ['when c.head_seq <> expecteds[i] then', 'when c.head_seq <> expecteds[i] or c.head_hash <> befores[i] then'],
  [
    `when c.epoch <> epochs[i] then 'fenced'`,
    `when c.epoch <> epochs[i] or (epochs[i] is not null and c.owner is distinct from coalesce(nodes[i], c.owner)) then 'fenced'`,
  ],
  ['mark, events, follows)', 'mark, events, hash, follows)'],
  ['marks[i], batches[i], case', `marks[i], batches[i], coalesce(hashes[i], ''), case`],
]

const literal = (text: string): string => `$change$${text}$change$`

export const chain: string = `
alter table :schema.batches add column hash bytea not null default '';
alter table :schema.conversations add column head_hash bytea not null default '';
-- The row is stored in pieces above a size. The hash is read with every append, so it stays in the row.
alter table :schema.conversations alter column head_hash set storage plain;

do $do$
declare
  change text[];
  definition text;
begin
  select pg_get_functiondef(oid) into strict definition
    from pg_proc where pronamespace = ':schema'::regnamespace and proname = 'append_together';
  foreach change slice 1 in array array[
    ${CHANGES.map(([from, to]) => `array[${literal(from)}, ${literal(to)}]`).join(',\n    ')}
  ] loop
    if position(change[1] in definition) = 0 then raise exception 'the function does not have "%"', change[1]; end if;
    definition := replace(definition, change[1], change[2]);
  end loop;
  execute definition;
end $do$;

create or replace function :schema.append_together(
  shift double precision,
  tenants text[], ids text[], expecteds bigint[], heads bigint[], marks text[], batches text[], ats double precision[],
  agents text[], statuses text[], wakes double precision[], bases text[], epochs bigint[], nodes text[], keys text[],
  hold_ops int[], hold_calls text[], hold_tools text[], hold_kinds text[], hold_opens boolean[],
  hold_helds double precision[], hold_ends double precision[], hold_seqs text[],
  hiddens int[], erasures int[], labels text[], hold_labels text[], hold_marks int[],
  out made text, out convs text, out made_epochs text, out made_flags text, out refusals json
)
language sql as $$
  select * from :schema.append_chained($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, null, null)
$$;
`
