/**
 * A part of the schema: labels, and the erasure of a conversation.
 *
 * - The two label tables are indexes, which a list reads in its order. An open hold is in `hold_labels` under its own labels
 *   (`own`) and under those of its conversation, so that no list has to look at every conversation with a label.
 * - The functions run only for conversations with labels, and for erasures. They keep their plans, perhaps from when the
 *   tables were empty, so they turn sequential scans off.
 */
export const labels = `
create table :schema.conversation_labels (
  tenant text collate "C" not null,
  conv bigint not null,
  label text collate "C" not null,
  primary key (tenant, conv, label)
);
create index conversation_labels_list on :schema.conversation_labels (tenant, label, conv);

create table :schema.hold_labels (
  tenant text collate "C" not null,
  conv bigint not null,
  call_id text collate "C" not null,
  own boolean not null,
  label text collate "C" not null,
  held_at double precision not null,
  primary key (tenant, conv, call_id, own, label)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index hold_labels_list on :schema.hold_labels (tenant, own, label, held_at, conv, call_id);

-- The labels in a text of \`toStoredLabels\`.
create function :schema.labels_in(list text) returns setof text
language sql immutable as $$ select unnest(string_to_array(list, e'\\x1f')) $$;

-- Call it after the holds were written. The arrays are those of \`append_together\`; \`marked\` lists appends that were written.
create function :schema.write_labels(
  marked int[], tenants text[], ks bigint[], labels text[],
  hold_ops int[], hold_calls text[], hold_opens boolean[], hold_helds double precision[], hold_labels text[]
) returns void language plpgsql
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
declare
  relabeled int[];
begin
  select array_agg(i) into relabeled from unnest(marked) as i where labels[i] is not null;
  if relabeled is not null then
    delete from :schema.conversation_labels as l using unnest(relabeled) as i where l.tenant = tenants[i] and l.conv = ks[i];
    insert into :schema.conversation_labels (tenant, conv, label)
      select tenants[i], ks[i], label from unnest(relabeled) as i cross join lateral :schema.labels_in(labels[i]) as label
      on conflict do nothing;
    delete from :schema.hold_labels as l using unnest(relabeled) as i
      where l.tenant = tenants[i] and l.conv = ks[i] and not l.own;
    insert into :schema.hold_labels (tenant, conv, call_id, own, label, held_at)
      select tenants[i], ks[i], h.call_id, false, c.label, h.held_at
        from unnest(relabeled) as i
          cross join lateral (select * from :schema.holds where conv = ks[i] and open offset 0) h
          cross join lateral (
            select * from :schema.conversation_labels where tenant = tenants[i] and conv = ks[i] offset 0
          ) c;
  end if;

  delete from :schema.hold_labels as l using unnest(hold_ops) with ordinality as o(i, j)
    where i = any(marked) and l.tenant = tenants[i] and l.conv = ks[i] and l.call_id = hold_calls[j];
  insert into :schema.hold_labels (tenant, conv, call_id, own, label, held_at)
    select tenants[i], ks[i], hold_calls[j], w.own, w.label, hold_helds[j]
      from unnest(hold_ops) with ordinality as o(i, j)
        cross join lateral (
          select true as own, label from :schema.labels_in(hold_labels[j]) as label
          union
          select false, label from :schema.conversation_labels where tenant = tenants[i] and conv = ks[i]
        ) w
      where i = any(marked) and hold_opens[j];
end $$;

-- Deletes everything but the conversation's row. Call it before the rows of the append are written.
create function :schema.erase(in_tenant text, in_conv bigint) returns void language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  delete from :schema.batches where conv = in_conv;
  delete from :schema.keys where conv = in_conv;
  delete from :schema.holds where conv = in_conv;
  delete from :schema.notes where tenant = in_tenant and conv = in_conv;
  delete from :schema.conversation_labels where tenant = in_tenant and conv = in_conv;
  delete from :schema.hold_labels where tenant = in_tenant and conv = in_conv;
end $$;
`
