/**
 * The hot path, as it is with an agenda: the same promises as before, with fewer statements for each append.
 *
 * A conversation is not locked before it is looked at. Its seq and its epoch are all that can change of it, so the update
 * names both: whoever was overtaken between the two finds nothing to update, and looks again.
 */
export const appendByAgenda = `
drop function :schema.append(
  double precision, text[], text[], bigint[], text[], int[], text[], double precision[],
  text[], text[], double precision[], text[], text[], bigint[], text[], text[]
);

-- The calls that wait come as arrays too, in the order of the appends they belong to: \`hold_ops\` says which.
create function :schema.append(
  shift double precision,
  tenants text[], ids text[], expecteds bigint[], marks text[], sizes int[], batches text[], ats double precision[],
  agents text[], statuses text[], wakes double precision[], bases text[], epochs bigint[], nodes text[], keys text[],
  hold_ops int[], hold_calls text[], hold_tools text[], hold_kinds text[], hold_opens boolean[],
  hold_helds double precision[], hold_ends double precision[], hold_seqs text[]
) returns setof :schema.answer
language plpgsql as $$
declare
  in_tenant text;
  in_id text;
  in_agent text;
  expected bigint;
  head bigint;
  given_epoch bigint;
  given_node text;
  given_key text;
  given_status text;
  given_wake double precision;
  stirs boolean;
  takes boolean;
  alone boolean;
  now double precision;
  used bigint;
  c record;
  batch record;
  answer :schema.answer;
  h int := 1;
begin
  for i in 1 .. coalesce(array_length(tenants, 1), 0) loop
    in_tenant := tenants[i];
    in_id := ids[i];
    in_agent := agents[i];
    expected := expecteds[i];
    head := expected + sizes[i];
    given_epoch := epochs[i];
    given_node := nodes[i];
    given_key := keys[i];
    given_status := statuses[i];
    given_wake := wakes[i];
    stirs := given_status <> 'idle' or given_wake is not null;
    answer := null;
    now := floor(extract(epoch from clock_timestamp()) * 1000)::double precision + shift;

    if expected = 0 and coalesce(given_epoch, 0) = 0 then
      takes := given_epoch is null and given_node is not null and given_status = 'running';
      insert into :schema.conversations as new
        (tenant, id, agent, head_seq, epoch, owner, status, wake_at, base, base_seq, created_at, updated_at)
      values
        (in_tenant, in_id, in_agent, head, takes::int, case when takes then given_node end, given_status, given_wake,
         bases[i], case when bases[i] is not null then head end, ats[i], ats[i])
      on conflict (tenant, id) do nothing
      returning new.k into answer.k;
      if answer.k is not null then
        answer.result := 'ok';
        answer.epoch := takes::int;
        answer.owned := takes;
        answer.deadline := coalesce(given_wake < now + 3600000, false);
        answer.work := given_status = 'running' and given_epoch is null and (not takes
          or not exists (select 1 from :schema.nodes n where n.node = given_node and n.until > now));
        if stirs then
          insert into :schema.agenda (tenant, conv, agent, status, wake_at)
            values (in_tenant, answer.k, in_agent, given_status, given_wake);
        end if;
      end if;
    end if;

    while answer.result is null loop
      select ctid, k, head_seq, epoch, owner, status, agent, wake_at into c
        from :schema.conversations where tenant = in_tenant and id = in_id;
      used := null;
      if given_key is not null then
        select seq into used from :schema.keys where conv = c.k and key = given_key;
      end if;

      if c.k is null then
        answer.result := case when expected = 0 then 'fenced' else 'conflict' end;
      elsif c.head_seq <> expected then
        select * into batch from :schema.batches where conv = c.k and seq > expected order by seq limit 1;
        -- The batch after \`expected\` begins there only if another one ends there.
        if batch.mark = marks[i]
          and (expected = 0 or exists (select 1 from :schema.batches where conv = c.k and seq = expected))
        then
          answer := row('again', c.k, batch.seq, c.epoch, coalesce(c.owner = given_node, false), false, false,
            batch.at, batch.events);
        elsif used is not null then
          answer.result := 'repeated';
          answer.seq := used;
        else
          answer.result := 'conflict';
        end if;
      elsif given_epoch is not null and given_epoch <> c.epoch then
        answer.result := 'fenced';
      elsif used is not null then
        answer.result := 'repeated';
        answer.seq := used;
      else
        takes := false;
        alone := false;
        if given_epoch is null and given_status = 'running' then
          takes := given_node is not null and c.status <> 'running';
          alone := not exists (select 1 from :schema.nodes n
            where n.node = case when takes then given_node else c.owner end and n.until > now);
          if alone and not takes and given_node is not null then
            takes := true;
            alone := not exists (select 1 from :schema.nodes n where n.node = given_node and n.until > now);
          end if;
        end if;
        update :schema.conversations set
          head_seq = head,
          epoch = c.epoch + takes::int,
          owner = case when takes then given_node else owner end,
          agent = in_agent,
          status = given_status,
          wake_at = given_wake,
          base = coalesce(bases[i], base),
          base_seq = case when bases[i] is null then base_seq else head end,
          updated_at = ats[i]
        where ctid = c.ctid and head_seq = expected and epoch = c.epoch;
        continue when not found;

        answer.result := 'ok';
        answer.k := c.k;
        answer.epoch := c.epoch + takes::int;
        answer.owned := takes or coalesce(c.owner = given_node, false);
        answer.deadline := false;
        answer.work := alone;
        if c.status <> given_status or c.wake_at is distinct from given_wake or c.agent <> in_agent then
          answer.deadline := c.wake_at is distinct from given_wake and least(given_wake, c.wake_at) < now + 3600000;
          if not stirs then
            delete from :schema.agenda where tenant = in_tenant and conv = c.k;
          elsif c.status = 'idle' and c.wake_at is null then
            insert into :schema.agenda (tenant, conv, agent, status, wake_at)
              values (in_tenant, c.k, in_agent, given_status, given_wake);
          else
            update :schema.agenda set agent = in_agent, status = given_status, wake_at = given_wake
              where tenant = in_tenant and conv = c.k;
          end if;
          if c.agent <> in_agent then
            update :schema.holds set agent = in_agent where conv = c.k and open;
          end if;
        end if;
      end if;
    end loop;

    if answer.result = 'ok' then
      answer.seq := head;
      insert into :schema.batches (conv, seq, at, mark, events) values (answer.k, head, ats[i], marks[i], batches[i]);
      if given_key is not null then
        insert into :schema.keys (conv, key, seq) values (answer.k, given_key, head);
      end if;
    end if;
    while hold_ops[h] = i loop
      if answer.result = 'ok' then
        update :schema.holds set
          agent = in_agent, tool = hold_tools[h], kind = hold_kinds[h], open = hold_opens[h],
          held_at = hold_helds[h], expires_at = hold_ends[h], seqs = hold_seqs[h]
        where conv = answer.k and call_id = hold_calls[h];
        if not found then
          insert into :schema.holds (conv, call_id, tenant, agent, tool, kind, open, held_at, expires_at, seqs)
            values (answer.k, hold_calls[h], in_tenant, in_agent, hold_tools[h], hold_kinds[h], hold_opens[h],
              hold_helds[h], hold_ends[h], hold_seqs[h]);
        end if;
      end if;
      h := h + 1;
    end loop;
    return next answer;
  end loop;
end $$;
`
