/**
 * The hot path, with one statement for all appends of a call where there was one for each: to begin a statement takes as
 * long as to write a row.
 *
 * - Every conversation is in a call at most once, and the caller sorts them, so that two calls never wait for each other.
 * - A conversation is still not locked before it is looked at. Whoever is overtaken between the two is told so by the
 *   same rules as whoever came too late; where those find nothing against it, the whole call is rolled back, and given
 *   again.
 * - The statements run through the places of their arrays. A row is found by an index, in a subselect with a limit, and
 *   changed where it is: so that a plan, made once and perhaps for a table with one row, can never read a whole table.
 * - It has a name of its own, so that processes of the version before are refused and not misunderstood.
 */
export const appendTogether = `
drop function :schema.append(
  double precision, text[], text[], bigint[], text[], int[], text[], double precision[],
  text[], text[], double precision[], text[], bigint[], text[], text[],
  int[], text[], text[], text[], boolean[], double precision[], double precision[], text[]
);
drop type :schema.answer;

-- All arrays have an element for each append, but those of the calls that wait: \`hold_ops\` says to which each belongs.
-- What comes back is one row: of the appends that were made, which (null: all), their conversations, epochs, and flags
-- (1: the caller drives it, 2: its deadline is near and new, 4: there is work and nobody does it); and why the others
-- were not.
create function :schema.append_together(
  shift double precision,
  tenants text[], ids text[], expecteds bigint[], heads bigint[], marks text[], batches text[], ats double precision[],
  agents text[], statuses text[], wakes double precision[], bases text[], epochs bigint[], nodes text[], keys text[],
  hold_ops int[], hold_calls text[], hold_tools text[], hold_kinds text[], hold_opens boolean[],
  hold_helds double precision[], hold_ends double precision[], hold_seqs text[],
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
  -- Which appends were made, in which conversation each, and what that says now.
  fine int[];
  ks bigint[];
  placed bigint[];
  new_epochs bigint[];
  flags int[];
  -- Which of them come into the agenda, stay there otherwise than they were, leave it, and are another agent's now.
  come int[];
  stay int[];
  leave int[];
  renamed int[];
  overtaken boolean;
begin
  -- A new one is made as if nothing had happened in it yet, and goes the way of the others.
  if 0 = any(expecteds) then
    insert into :schema.conversations (tenant, id, agent, head_seq, epoch, status, created_at, updated_at)
      select tenants[i], ids[i], agents[i], 0, 0, 'idle', ats[i], ats[i] from generate_subscripts(ids, 1) as i
        where expecteds[i] = 0 and coalesce(epochs[i], 0) = 0
      on conflict (tenant, id) do nothing;
  end if;

  -- Who sets a conversation going drives it, unless somebody does who lives.
  with moved as (
    update :schema.conversations as c set
      head_seq = heads[o.i],
      epoch = o.epoch + o.takes::int,
      owner = case when o.takes then nodes[o.i] else o.owner end,
      agent = agents[o.i],
      status = statuses[o.i],
      wake_at = wakes[o.i],
      base = coalesce(bases[o.i], c.base),
      base_seq = case when bases[o.i] is null then c.base_seq else heads[o.i] end,
      updated_at = ats[o.i]
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
    returning o.i, c.k, c.epoch, c.owner, o.agent, o.wake_at, o.stirred, o.differs,
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
      array_agg(i) filter (where agent <> agents[i])
    into fine, ks, new_epochs, flags, come, stay, leave, renamed
    from (select * from moved order by i) as m;

  convs := array_to_string(ks, ',');
  made_epochs := array_to_string(new_epochs, ',');
  made_flags := array_to_string(flags, ',');

  -- Why the others were not: somebody wrote in between, this very append among them, or drives, or used the key.
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
          -- The batch after what was expected begins there only if another one ends there.
          left join lateral (
            select b.* from (select * from :schema.batches where conv = c.k and seq > expecteds[i] order by seq limit 1) b
              where b.mark = marks[i]
                and (expecteds[i] = 0 or (select 1 from :schema.batches where conv = c.k and seq = expecteds[i] limit 1) = 1)
          ) again on true
          where fine is null or i <> all(fine)
      ) why;
    -- Somebody was there between our look and our write, and it fits all the same.
    if overtaken then
      raise serialization_failure using message = 'a conversation was written to meanwhile';
    end if;
    if fine is null then
      made := '';
      return;
    end if;
    made := array_to_string(fine, ',');
    -- What follows finds the conversation of an append where the append is.
    for one in 1..cardinality(fine) loop
      placed[fine[one]] := ks[one];
    end loop;
    ks := placed;
  end if;

  insert into :schema.batches (conv, seq, at, mark, events)
    select ks[i], heads[i], ats[i], marks[i], batches[i] from unnest(fine) as i;
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
end $$;
`
