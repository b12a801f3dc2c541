


SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;


CREATE SCHEMA golden;



CREATE FUNCTION golden.append_chained(shift double precision, tenants text[], ids text[], expecteds bigint[], heads bigint[], marks text[], batches text[], ats double precision[], agents text[], statuses text[], wakes double precision[], bases text[], epochs bigint[], nodes text[], keys text[], hold_ops integer[], hold_calls text[], hold_tools text[], hold_kinds text[], hold_opens boolean[], hold_helds double precision[], hold_ends double precision[], hold_seqs text[], hiddens integer[], erasures integer[], labels text[], hold_labels text[], hold_marks integer[], befores bytea[], hashes bytea[], OUT made text, OUT convs text, OUT made_epochs text, OUT made_flags text, OUT refusals json) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
  -- The appends whose conversation is `labeled`.
  marked int[];
  overtaken boolean;
begin
  -- A new conversation is inserted empty. The update below treats it like any other.
  if 0 = any(expecteds) then
    insert into golden.conversations (tenant, id, agent, head_seq, epoch, status, created_at, updated_at)
      select tenants[i], ids[i], agents[i], 0, 0, 'idle', ats[i], ats[i] from generate_subscripts(ids, 1) as i
        where expecteds[i] = 0 and (epochs[i] is null or epochs[i] = 0 and nodes[i] is null) and coalesce(befores[i], '') = ''
      on conflict (tenant, id) do nothing;
  end if;

  -- The node whose append starts a turn becomes the owner, unless the current owner is alive.
  with moved as (
    update golden.conversations as c set
      head_seq = heads[o.i], head_hash = coalesce(hashes[o.i], ''),
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
              else not exists (select 1 from golden.nodes n where n.node = owner and n.until > now) end as takes
          from golden.conversations
          where tenant = tenants[i] and id = ids[i] and head_seq = expecteds[i] and head_hash = coalesce(befores[i], head_hash) and epoch = coalesce(epochs[i], epoch)
            and (epochs[i] is null or nodes[i] is null or owner = nodes[i])
            and (keys[i] is null or (select 1 from golden.keys u where u.tenant = tenants[i] and u.conv = k and u.key = keys[i] limit 1) is null)
          limit 1
      ) was
    ) o
    where c.ctid = o.place and c.k = o.k and c.head_seq = expecteds[o.i] and c.head_hash = coalesce(befores[o.i], c.head_hash) and c.epoch = o.epoch
    returning o.i, c.k, c.epoch, c.owner, c.labeled, o.agent, o.wake_at, o.stirred, o.differs,
      c.status <> 'idle' or c.wake_at is not null as stirs
  )
  select array_agg(i), array_agg(k), array_agg(epoch),
      array_agg(
        case when owner = nodes[i] then 1 else 0 end
        + case when wake_at is distinct from wakes[i] and least(wake_at, wakes[i]) < now + 3600000 then 2 else 0 end
        + case when epochs[i] is null and statuses[i] = 'running'
            and not exists (select 1 from golden.nodes n where n.node = owner and n.until > now) then 4 else 0 end
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
          'at', at, 'events', events, 'hash', hash)), bool_or(result is null)
      into refusals, overtaken
      from (
        select i, c.epoch, coalesce(c.owner = nodes[i], false) as owned, again.at, again.events, encode(again.hash, 'hex') as hash,
            coalesce(again.seq, used.seq) as seq,
            case
              when c.k is null then case when expecteds[i] = 0 and coalesce(befores[i], '') = '' then 'fenced' else 'conflict' end
              when again.seq is not null then 'again'
              when c.head_seq <> expecteds[i] or c.head_hash <> befores[i] then case when used.seq is null then 'conflict' else 'repeated' end
              when c.epoch <> epochs[i] or (epochs[i] is not null and c.owner is distinct from coalesce(nodes[i], c.owner)) then 'fenced'
              when used.seq is not null then 'repeated' end as result
          from generate_subscripts(ids, 1) as i
          left join lateral (
            select * from golden.conversations where tenant = tenants[i] and id = ids[i] limit 1
          ) c on true
          left join lateral (select seq from golden.keys u where u.tenant = c.tenant and u.conv = c.k and u.key = keys[i] limit 1) used on true
          -- The next batch starts at the expected seq only if another batch ends there.
          left join lateral (
            select b.* from (select * from golden.batches where tenant = c.tenant and conv = c.k and seq > expecteds[i] order by seq limit 1) b
              where b.mark = marks[i]
                and case
                  when b.follows is not null then b.follows = expecteds[i]
                  when expecteds[i] = 0 then true
                  else (select 1 from golden.batches where tenant = c.tenant and conv = c.k and seq = expecteds[i] limit 1) = 1 end
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
      if one = any(fine) then perform golden.erase(tenants[one], ks[one]); end if;
    end loop;
  end if;
  insert into golden.batches (tenant, conv, seq, at, mark, events, hash, follows)
    select tenants[i], ks[i], heads[i], ats[i], marks[i], batches[i], coalesce(hashes[i], ''), case when i = any(erasures) then expecteds[i] end
      from unnest(fine) as i;
  if array_remove(keys, null) <> '{}' then
    insert into golden.keys (tenant, conv, key, seq)
      select tenants[i], ks[i], keys[i], heads[i] from unnest(fine) as i where keys[i] is not null;
  end if;

  if come is not null then
    insert into golden.agenda (tenant, conv, agent, status, wake_at)
      select tenants[i], ks[i], agents[i], statuses[i], wakes[i] from unnest(come) as i;
  end if;
  if stay is not null then
    update golden.agenda as a set agent = agents[i], status = statuses[i], wake_at = wakes[i]
      from unnest(stay) as i
        cross join lateral (select ctid as place, tableoid as part from golden.agenda where tenant = tenants[i] and conv = ks[i] limit 1) p
      where a.ctid = p.place and a.tableoid = p.part;
  end if;
  if leave is not null then
    delete from golden.agenda as a
      using unnest(leave) as i
        cross join lateral (select ctid as place, tableoid as part from golden.agenda where tenant = tenants[i] and conv = ks[i] limit 1) p
      where a.ctid = p.place and a.tableoid = p.part;
  end if;

  if renamed is not null then
    foreach one in array renamed loop
      update golden.holds set agent = agents[one] where tenant = tenants[one] and conv = ks[one] and case when open then true end;
    end loop;
  end if;
  if hold_ops <> '{}' then
    update golden.holds as h set
      agent = agents[i], tool = hold_tools[j], kind = hold_kinds[j], open = hold_opens[j],
      held_at = hold_helds[j], expires_at = hold_ends[j], seqs = hold_seqs[j]
    from unnest(hold_ops) with ordinality as o(i, j)
      cross join lateral (
        select ctid as place, tableoid as part from golden.holds where tenant = tenants[i] and call_id = hold_calls[j] and conv = ks[i] limit 1
      ) p
    where h.ctid = p.place and h.tableoid = p.part;
    get diagnostics found = row_count;
    if found < cardinality(hold_ops) then
      insert into golden.holds (conv, call_id, tenant, agent, tool, kind, open, held_at, expires_at, seqs)
        select ks[i], hold_calls[j], tenants[i], agents[i], hold_tools[j], hold_kinds[j], hold_opens[j], hold_helds[j],
            hold_ends[j], hold_seqs[j]
          from unnest(hold_ops) with ordinality as h(i, j) where ks[i] is not null
        on conflict (tenant, conv, call_id) do nothing;
    end if;
  end if;
  if marked is not null then
    perform golden.write_labels(
      marked, tenants, ks, labels, hold_ops, hold_calls, hold_opens, hold_helds, hold_labels
    );
  end if;
end $$;



CREATE FUNCTION golden.append_together(shift double precision, tenants text[], ids text[], expecteds bigint[], heads bigint[], marks text[], batches text[], ats double precision[], agents text[], statuses text[], wakes double precision[], bases text[], epochs bigint[], nodes text[], keys text[], hold_ops integer[], hold_calls text[], hold_tools text[], hold_kinds text[], hold_opens boolean[], hold_helds double precision[], hold_ends double precision[], hold_seqs text[], hiddens integer[], erasures integer[], labels text[], hold_labels text[], hold_marks integer[], OUT made text, OUT convs text, OUT made_epochs text, OUT made_flags text, OUT refusals json) RETURNS record
    LANGUAGE sql
    AS $_$
  select * from golden.append_chained($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, null, null)
$_$;



CREATE FUNCTION golden.erase(in_tenant text, in_conv bigint) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
begin
  delete from golden.batches where tenant = in_tenant and conv = in_conv;
  delete from golden.keys where tenant = in_tenant and conv = in_conv;
  delete from golden.holds where tenant = in_tenant and conv = in_conv;
  delete from golden.notes where tenant = in_tenant and conv = in_conv;
  delete from golden.conversation_labels where tenant = in_tenant and conv = in_conv;
  delete from golden.hold_labels where tenant = in_tenant and conv = in_conv;
end $$;



CREATE FUNCTION golden.labels_in(list text) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE
    AS $$ select unnest(string_to_array(list, e'\x1f')) $$;



CREATE FUNCTION golden.near_until(shift double precision) RETURNS double precision
    LANGUAGE sql
    AS $$ select golden.now_ms(shift) + 3600000 $$;



CREATE FUNCTION golden.node_alive(node text, at double precision) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ select exists (select 1 from golden.nodes n where n.node = node_alive.node and n.until > node_alive.at) $$;



CREATE FUNCTION golden.now_ms(shift double precision) RETURNS double precision
    LANGUAGE sql
    AS $$ select floor(extract(epoch from clock_timestamp()) * 1000)::double precision + shift $$;



CREATE FUNCTION golden.put(shift double precision, in_tenant text, in_kind text, in_id text, expected bigint, given text, ttl double precision, OUT done boolean, OUT head bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  seen record;
  now double precision;
begin
  loop
    select version, until into seen from golden.documents d
      where d.tenant = in_tenant and d.kind = in_kind and d.id = in_id;
    now := golden.now_ms(shift);
    head := case when seen.version is null or seen.until <= now then 0 else seen.version end;
    done := expected is null or expected = head;
    if not done then return; end if;
    if seen.version is null and given is null then
      return;
    elsif seen.version is null then
      insert into golden.documents (tenant, kind, id, version, at, until, data)
        values (in_tenant, in_kind, in_id, 1, now, now + ttl, given)
        on conflict (tenant, kind, id) do nothing;
    elsif given is null then
      delete from golden.documents d
        where d.tenant = in_tenant and d.kind = in_kind and d.id = in_id and d.version = seen.version;
    else
      update golden.documents d set version = seen.version + 1, at = now, until = now + ttl, data = given
        where d.tenant = in_tenant and d.kind = in_kind and d.id = in_id and d.version = seen.version;
    end if;
    if found then
      head := case when given is null then 0 else coalesce(seen.version, 0) + 1 end;
      return;
    end if;
  end loop;
end $$;



CREATE FUNCTION golden.write_labels(marked integer[], tenants text[], ks bigint[], labels text[], hold_ops integer[], hold_calls text[], hold_opens boolean[], hold_helds double precision[], hold_labels text[]) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  relabeled int[];
begin
  select array_agg(i) into relabeled from unnest(marked) as i where labels[i] is not null;
  if relabeled is not null then
    delete from golden.conversation_labels as l using unnest(relabeled) as i where l.tenant = tenants[i] and l.conv = ks[i];
    insert into golden.conversation_labels (tenant, conv, label)
      select tenants[i], ks[i], label from unnest(relabeled) as i cross join lateral golden.labels_in(labels[i]) as label
      on conflict do nothing;
    delete from golden.hold_labels as l using unnest(relabeled) as i
      where l.tenant = tenants[i] and l.conv = ks[i] and not l.own;
    insert into golden.hold_labels (tenant, conv, call_id, own, label, held_at)
      select tenants[i], ks[i], h.call_id, false, c.label, h.held_at
        from unnest(relabeled) as i
          cross join lateral (select * from golden.holds where tenant = tenants[i] and conv = ks[i] and case when open then true end offset 0) h
          cross join lateral (
            select * from golden.conversation_labels where tenant = tenants[i] and conv = ks[i] offset 0
          ) c;
  end if;

  delete from golden.hold_labels as l using unnest(hold_ops) with ordinality as o(i, j)
    where i = any(marked) and l.tenant = tenants[i] and l.conv = ks[i] and l.call_id = hold_calls[j];
  insert into golden.hold_labels (tenant, conv, call_id, own, label, held_at)
    select tenants[i], ks[i], hold_calls[j], w.own, w.label, hold_helds[j]
      from unnest(hold_ops) with ordinality as o(i, j)
        cross join lateral (
          select true as own, label from golden.labels_in(hold_labels[j]) as label
          union
          select false, label from golden.conversation_labels where tenant = tenants[i] and conv = ks[i]
        ) w
      where i = any(marked) and hold_opens[j];
end $$;





CREATE TABLE golden.agenda (
    tenant text NOT NULL COLLATE pg_catalog."C",
    conv bigint NOT NULL,
    agent text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    wake_at double precision
)
WITH (autovacuum_vacuum_scale_factor='0.05');



CREATE TABLE golden.batches (
    conv bigint NOT NULL,
    seq bigint NOT NULL,
    at double precision NOT NULL,
    mark text NOT NULL,
    events text NOT NULL,
    follows bigint,
    tenant text NOT NULL COLLATE pg_catalog."C",
    hash bytea DEFAULT '\x'::bytea NOT NULL
);



CREATE TABLE golden.conversation_labels (
    tenant text NOT NULL COLLATE pg_catalog."C",
    conv bigint NOT NULL,
    label text NOT NULL COLLATE pg_catalog."C"
);



CREATE TABLE golden.conversations (
    k bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    agent text NOT NULL COLLATE pg_catalog."C",
    head_seq bigint NOT NULL,
    epoch bigint NOT NULL,
    owner text COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    wake_at double precision,
    base text,
    base_seq bigint,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    labeled boolean DEFAULT false NOT NULL,
    hidden boolean DEFAULT false NOT NULL,
    head_hash bytea DEFAULT '\x'::bytea NOT NULL
)
WITH (fillfactor='95', toast_tuple_target='256', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY golden.conversations ALTER COLUMN head_hash SET STORAGE PLAIN;



ALTER TABLE golden.conversations ALTER COLUMN k ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME golden.conversations_k_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);



CREATE TABLE golden.documents (
    tenant text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    at double precision NOT NULL,
    until double precision,
    data text NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05');



CREATE TABLE golden.hold_labels (
    tenant text NOT NULL COLLATE pg_catalog."C",
    conv bigint NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    own boolean NOT NULL,
    label text NOT NULL COLLATE pg_catalog."C",
    held_at double precision NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05');



CREATE TABLE golden.holds (
    conv bigint NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    agent text NOT NULL COLLATE pg_catalog."C",
    tool text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    open boolean NOT NULL,
    held_at double precision NOT NULL,
    expires_at double precision NOT NULL,
    seqs text NOT NULL
)
WITH (fillfactor='100', autovacuum_vacuum_scale_factor='0.05');



CREATE TABLE golden.hp_migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    oldest integer
);



CREATE TABLE golden.keys (
    conv bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C"
);



CREATE TABLE golden.nodes (
    node text NOT NULL COLLATE pg_catalog."C",
    until double precision NOT NULL
);



CREATE TABLE golden.notes (
    tenant text NOT NULL COLLATE pg_catalog."C",
    conv bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    at double precision NOT NULL,
    until double precision,
    data text NOT NULL
);



INSERT INTO golden.agenda VALUES ('', 2, 'desk', 'held', 2572663845068);
INSERT INTO golden.agenda VALUES ('', 3, 'desk', 'held', 2572663845089);
INSERT INTO golden.agenda VALUES ('', 4, 'desk', 'idle', 2572663845108);
INSERT INTO golden.agenda VALUES ('', 5, 'desk', 'held', 2572663845126);
INSERT INTO golden.agenda VALUES ('', 6, 'desk', 'held', 2572663845137);
INSERT INTO golden.agenda VALUES ('', 9, 'scout', 'idle', 2572663845207);
INSERT INTO golden.agenda VALUES ('acme', 12, 'desk', 'held', 2572663845227);



INSERT INTO golden.batches VALUES (1, 1, 1795063845000, 'uj8v032d9wy', 'iYQlR1itCq_pxSGYq8n8-g desk!8"look"}],"by":"ada"}}]}]', NULL, '', '\xd7a0d680b642ee6bd1a872c917765bd3f064249d1fd9c2099b548c423b378b5b');
INSERT INTO golden.batches VALUES (1, 3, 1795063845039, 'oyaw01l5wr1', 'iYQlR1itCq_pxSGYq8n8-g1One moment." 1.1call-17look	{"nth":1}
105}}$ 1.1]', NULL, '', '\xff1e7a6817dff38acc0615fc3fcd017126bab8f8ae03f4797de565a07118d4ab');
INSERT INTO golden.batches VALUES (1, 4, 1795063845045, '14jsw07wwg6g', 'iYQlR1itCq_pxSGYq8n8-g1.1{"found":3}}}]', NULL, '', '\x10ddf0af2ca2cde6e8f5a7d93d8da9565ff3820c5607956f5c3a8ea140944cc2');
INSERT INTO golden.batches VALUES (1, 5, 1795063845048, '16fgs1j6apel', 'iYQlR1itCq_pxSGYq8n8-g2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\xeed879969e109368f663eb714bf3abc0108fcb84db48f3383dc0c2cad9350687');
INSERT INTO golden.batches VALUES (1, 6, 1795063845051, 'nu8y0f3p40p', 'mRTGiULr8w581ftzDU1PEQ desk!8"look again"}],"by":"ada"}}]}]', NULL, '', '\x2cb8f7ef22f1d2770513a7fe4991a4d0639db3611023e5eac993d54cd78c922d');
INSERT INTO golden.batches VALUES (1, 8, 1795063845055, 'i6oe02fx124', 'mRTGiULr8w581ftzDU1PEQ1One moment." 1.1call-19look	{"nth":1}
105}}$ 1.1]', NULL, '', '\x45d1745a9a675c060fed0d2126f913d85c0a2f01a94e1477f1b79cbf52dafac4');
INSERT INTO golden.batches VALUES (1, 9, 1795063845060, '15qru1dj9tum', 'mRTGiULr8w581ftzDU1PEQ1.1{"found":3}}}]', NULL, '', '\x23b678144f94e8ed463391777de49884866d5859c89799782ee25b0b5d8e7579');
INSERT INTO golden.batches VALUES (1, 10, 1795063845062, '8lq90e1fcrz', 'mRTGiULr8w581ftzDU1PEQ2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\x8b2eb038bad24923d0baf01f79ea550fb758b93a96b7bd303c54cae200ff6d20');
INSERT INTO golden.batches VALUES (2, 1, 1795063845065, 'h38s1lcsc63', 'F3yoM54irb65G6z66gXJdg desk!8"send"}],"by":"ada"}}]}]', NULL, '', '\xee1f375f257bf68c2545a1fc32c268a8fba751b260b5a9bd7b8980830b589bfc');
INSERT INTO golden.batches VALUES (2, 3, 1795063845068, '13era0j0fm5u', 'F3yoM54irb65G6z66gXJdg1One moment." 1.1call-21send	{"nth":1}
105}} 1.1","hold":{"kind":"approval","cause":"tool","reason":"It leaves the company.",6#0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMrFSWvkeAa0qNcMSnJcxQk_8u77jI6fZjhZvgfhXiRAQ,"approvers":2,"notRequester":true,"askedBy":[{"via":"message9ada"}],"timeoutMs":777600000000,"definition":{"description":"Send","executor":"server	{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{},"additionalProperties":{}}}2572663845068]', NULL, '', '\x3b9dc6b5ac7ac61b235337cf408bce3108580623a204583b78732720e9d3f9b6');
INSERT INTO golden.batches VALUES (2, 4, 1795063845071, 'odn51pj7wff', '[{"type":"call.endorsed","callId":"F3yoM54irb65G6z66gXJdg1.19bob"0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzM}]', NULL, '', '\x5e7cf9f17c4333f64d5a7b8d942c7b3a109557a51d0600881f1e0fff529d730c');
INSERT INTO golden.batches VALUES (2, 5, 1795063845076, '117ne0ga7d1x', '[{"type":"hold.commented","callId":"F3yoM54irb65G6z66gXJdg1.1","text":"Looks fine.9bob"}]', NULL, '', '\x4f18090b53c5192f52887e004f75c98d4d3df47c2d2ad30a2b7f5c21a0ae3529');
INSERT INTO golden.batches VALUES (3, 1, 1795063845087, '12os60g1dbq6', 'Q9s9kZi4OqXndGQs3FF2WQ desk!8"budget and print"}],"by":"ada"}}]}]', NULL, '', '\x95d0b1e85d36d20a4f26e4c488c3cf5757c864a9c07d09f4b19d3fe1f1ec0f18');
INSERT INTO golden.batches VALUES (3, 4, 1795063845090, '4vnd0i9jxas', 'Q9s9kZi4OqXndGQs3FF2WQ1One moment." 1.1call-22-1budget	{"nth":1} 1.2call-22-2print	$
105}} 1.11"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"reject","accepts":["answer","reject"],"input":{"nth":1}0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMNxR0Sn3qtq2JR2PO6c7fuOuLxbN85cALh_HJyUFlf3I,"approvers":1,"askedBy":[{"via":"message9ada"}]2572663845089} 1.22"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"inbox",5$0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMOQ8w1VwxR_D0GT23SWM1jw9veI9NvQgNTlSiaaxS_nI''9(2572663845089}}]', NULL, '', '\xfddf3165b0d7f9e84dabdf25ca6240b54e0b7d2eddd7744db1e2ce66e8d9aad6');
INSERT INTO golden.batches VALUES (4, 1, 1795063845104, 'u6p41jne4n6', '7mpxszETrQoQPu8NaB4hfw desk!8"ship"}],"by":"ada"}}]}]', NULL, '', '\x1b130387352d81f0f2e5121f77bdd73d3ae3857fc821e0053ec20be6f069461d');
INSERT INTO golden.batches VALUES (4, 4, 1795063845108, 'ffzs03k9bjw', '7mpxszETrQoQPu8NaB4hfw1One moment." 1.1call-23ship	{"nth":1}
105}} 1.12"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"inbox","async":true,5#0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzM9AS1JcuRQCSiPBeR68SefKu4Qp8urSCp-ZRfDHUK3Q4,"approvers":1,"askedBy":[{"via":"message9ada"}]2572663845108}% 1.1{"status":"pending","toolCallId":"7mpxszETrQoQPu8NaB4hfw1.1","pendingToolCallId":"7mpxszETrQoQPu8NaB4hfw1.1"}}}]', NULL, '', '\x32a028b39c58ecccae840717111cb28eed54062da16db31e02042b64ce4b90c7');
INSERT INTO golden.batches VALUES (4, 5, 1795063845116, '13b491q7irlf', '7mpxszETrQoQPu8NaB4hfw2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\x9e1bb94005dba970ed58c9623231d4304a37d71eb2e6815d6ea053f9a124718c');
INSERT INTO golden.batches VALUES (5, 1, 1795063845121, '11yr31eadz40', 'Efsp8x0sl1kIMN-zkIA1mg desk!8"poll"}],"by":"ada"}}]}]', NULL, '', '\xe248eb883de2ba58740861d9da40196a7906ef9b694ee699aad356e2dce14635');
INSERT INTO golden.batches VALUES (5, 3, 1795063845124, '6ho11eh7627', 'Efsp8x0sl1kIMN-zkIA1mg1One moment." 1.1call-25poll	{"nth":1}
105}}$ 1.1]', NULL, '', '\x838485b84ee340b6648f0ddcdff13fe430f5efe6cb4fe336478a2029662b84b5');
INSERT INTO golden.batches VALUES (5, 4, 1795063845126, '18q360j7uwqr', '&Efsp8x0sl1kIMN-zkIA1mg1.1","hold":{"input":{"nth":1}0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMBVLJ1XGQJ8qsKG_OhEnjCgzNpJFdaGAhZaTdI46u5Ws,4"approvers":1,"askedBy":[{"via":"message9ada"}],"late":"reject","kind":"external","accepts":["answer"],"resumes":"deadline","timeoutMs":777600000000,"onExpire":"error"2572663845126},"state":{"nth":1}}]', NULL, '', '\xe253d00f8531b140e23fdd487845777a21421a597536ee3cba56e02c5eeaa39a');
INSERT INTO golden.batches VALUES (6, 1, 1795063845131, '2h881ehdath', '6svinX7bf62rnJxZy5J_Iw desk!8"budget"}],"by":"ada"}}]}]', NULL, '', '\xd935fb3a59333ca94dfdab4e85d76e47e81c1948db20ff8184b24733fc2cfad3');
INSERT INTO golden.batches VALUES (6, 3, 1795063845137, 'rtxm0x8cj2u', '6svinX7bf62rnJxZy5J_Iw1One moment." 1.1call-26budget	{"nth":1}
105}} 1.11"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"reject","accepts":["answer","reject"],"input":{"nth":1}0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMNxR0Sn3qtq2JR2PO6c7fuOuLxbN85cALh_HJyUFlf3I,"approvers":1,"askedBy":[{"via":"message9ada"}]2572663845137}}]', NULL, '', '\x0c8adbdf464b6c91f166d8d53d2d72d9f3c2fc0dc8f5c48877d876c6d3d6d6d9');
INSERT INTO golden.batches VALUES (6, 4, 1795063845141, 'cou1utgsk8', '[{"type":"message.queued","item":{"kind":"message","message":{"parts":[,And then look"}],"by":"ada"}}}]', NULL, '', '\xa3bfa5be45b9c0a9539006f94bedcf368574aeb5cec0485d2d511a0113978a45');
INSERT INTO golden.batches VALUES (7, 6, 1795063845159, '133wf1o9k91f', '[{"type":"conversation.erased desk","reason":"request 129ada"}]', 5, '', '\xa3e8d9c4b1164023e13fec740484be75f0971c59be3c3a5fba81fc86f8a44f43');
INSERT INTO golden.batches VALUES (1, 11, 1795063845169, 'tcf601o75hd', '[{"type":"participants.changed","add":["eve"],"remove":[],"by":"ada"}]', NULL, '', '\x1acc5cb39031e5752e936fbb6ad3bee59ca28ed3c59dbbf55d6f3c83c3b953b5');
INSERT INTO golden.batches VALUES (8, 3, 1795063845177, '134mo00y4kli', '[{"type":"space.openedTrip","agentMessages":12,"by":"ada"},{"type":"member.joined","member":{"kind":"human","id":"ada"},"role":"owner9ada"},{"type":"member.joined","member":{"kind":"agent","id":"scout"},"role":"member"}]', NULL, '', '\xa67395d542f8d765ded6e3d929ba28456d3b6de9d466c611cdb431caa61475d6');
INSERT INTO golden.batches VALUES (8, 4, 1795063845179, '15g0n0tarpt2', '[{"type":"message.posted","from":{"kind":"human","id":"ada"},"text":"Find a hotel"}]', NULL, '', '\xc6e73c404b22391c25fca652899e1282aec64b073612cce62081bebc44491a5f');
INSERT INTO golden.batches VALUES (9, 2, 1795063845185, '23nn0quswe3', '[{"type":"conversation.opened scout"},{"type":"message.queued","item":{"kind":"event","id":"space:trip:4","at":1795063845179,"event":{"type":"space.messageTrip","seq":4,"from":{"kind":"human","id":"ada"},"text":"Find a hotel","space":"trip"}}}]', NULL, '', '\x9c2fcae1154b583a815c99c4276a15409aae6691e3f3b187db5caa97772034eb');
INSERT INTO golden.batches VALUES (8, 5, 1795063845190, '6ldv0iqscch', '[{"type":"notices.delivered","count":1}]', NULL, '', '\xe34fb89a893de5b002ac12976509ce62802615227ae150aa2f0cff81bb1b8f10');
INSERT INTO golden.batches VALUES (9, 3, 1795063845190, 'dupc1tvceai', 'Jvlg8FjdC9tDd0xAkB7v6g scout!8},"cycle":true,"items":[{"kind":"event","id":"space:trip:4","at":1795063845179,"event":{"type":"space.messageTrip","seq":4,"from":{"kind":"human","id":"ada"},"text":"Find a hotel","space":"trip"}}],"queued":1,"upTo":2}]', NULL, '', '\x07f21faeb8b74049baf52606518b227e2ad4b35894639bb113d2c25fc916ec45');
INSERT INTO golden.batches VALUES (9, 4, 1795063845201, 'q17d0xr5qrh', 'Jvlg8FjdC9tDd0xAkB7v6g1The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\xc45e8fbe80d5f056c4e7399524695e08a6519045832c6faeb402e0105d1fefb2');
INSERT INTO golden.batches VALUES (9, 5, 1795063845207, 's49b0uhvxbs', '[{"type":"plan.set","plan":{"id":"yearly","what":"Look around","missed":"once","nextAt":2572663845207,"askedBy":[{"via":"plan"}]}}]', NULL, '', '\x0e408d805ec2a71452e942ab640a2b3d55562d8470ed5e9a2812ada41d08dd8b');
INSERT INTO golden.batches VALUES (11, 1, 1795063845213, 'ht3x18pwcd5', 'VHGGcnb6aHBRsU7k8OnR8g desk!8"look"}],"by":"ada"}}]}]', NULL, 'acme', '\x3ee6643f52a52f4938c38282eedbcdc2f46f476aae50194a97028827a2ea655e');
INSERT INTO golden.batches VALUES (11, 3, 1795063845216, '12g0e0gl706c', 'VHGGcnb6aHBRsU7k8OnR8g1One moment." 1.1call-30look	{"nth":1}
105}}$ 1.1]', NULL, 'acme', '\x0e1c1baa889e5b931f9a22a0da31dfc720ca55dda83aee18bb79aa3f0527c022');
INSERT INTO golden.batches VALUES (11, 4, 1795063845218, 'efrv0w2yygy', 'VHGGcnb6aHBRsU7k8OnR8g1.1{"found":3}}}]', NULL, 'acme', '\xc1759e611822a7bd08c70565f61675aa97da01b36af40027dc1bdb4709142aae');
INSERT INTO golden.batches VALUES (11, 5, 1795063845221, 'wbcd1r2uepn', 'VHGGcnb6aHBRsU7k8OnR8g2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, 'acme', '\xf512bc1d7c3719136d7d6d393d10be76f3e1d92a95117cdd22a0e1b225f8a241');
INSERT INTO golden.batches VALUES (12, 1, 1795063845225, 'du3a1nksk3e', 'OPnuQzTB4EpjOc1g6hmTwA desk!8"send"}],"by":"ada"}}]}]', NULL, 'acme', '\x2153db39186a85f7fb9c76cda56f77943bccc23fa417eb232f4dab90013bfd77');
INSERT INTO golden.batches VALUES (12, 3, 1795063845227, '28jf0m666gq', 'OPnuQzTB4EpjOc1g6hmTwA1One moment." 1.1call-32send	{"nth":1}
105}} 1.1","hold":{"kind":"approval","cause":"tool","reason":"It leaves the company.",6#0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMrFSWvkeAa0qNcMSnJcxQk_8u77jI6fZjhZvgfhXiRAQ,"approvers":2,"notRequester":true,"askedBy":[{"via":"message9ada"}],"timeoutMs":777600000000,"definition":{"description":"Send","executor":"server	{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{},"additionalProperties":{}}}2572663845227]', NULL, 'acme', '\xb8b4e7c8c734cdaa031168cd45ef145e264bab2e7a9bfbfc55e5babced64dbb6');



INSERT INTO golden.conversation_labels VALUES ('', 2, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('', 3, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('', 4, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('', 5, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('', 6, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('', 1, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('', 1, '=person:eve');
INSERT INTO golden.conversation_labels VALUES ('', 9, '=plans');
INSERT INTO golden.conversation_labels VALUES ('acme', 11, '=person:ada');
INSERT INTO golden.conversation_labels VALUES ('acme', 12, '=person:ada');



INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (7, '', 'erased', 'desk', 6, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'idle', NULL, '{"agent":"desk","erased":{"at":1795063845159,"reason":"request 12","by":"ada"}}', 6, 1795063845146, 1795063845159, 65, true, true, '\xa3e8d9c4b1164023e13fec740484be75f0971c59be3c3a5fba81fc86f8a44f43');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (1, '', 'done', 'desk', 11, 2, 'w69J3vUAzXBqQmdMzUp7UQ', 'idle', NULL, '{"agent":"desk","people":{"owner":"ada","participants":["eve"]},"last":{"turnId":"mRTGiULr8w581ftzDU1PEQ","askedBy":[{"via":"message","by":"ada"}],"reason":"completed"}}', 11, 1795063845000, 1795063845169, 574, true, false, '\x1acc5cb39031e5752e936fbb6ad3bee59ca28ed3c59dbbf55d6f3c83c3b953b5');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (12, 'acme', 'held ä/% ✓', 'desk', 3, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'held', 2572663845227, NULL, NULL, 1795063845225, 1795063845227, 587, true, false, '\xb8b4e7c8c734cdaa031168cd45ef145e264bab2e7a9bfbfc55e5babced64dbb6');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (8, '', 'trip', 'holdpoint.space', 5, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'idle', NULL, '{"space":{"name":"Trip","agentMessages":12,"members":[{"member":{"kind":"human","id":"ada"},"role":"owner","joinedAt":1795063845177,"read":4},{"member":{"kind":"agent","id":"scout"},"role":"member","joinedAt":1795063845177,"read":0}],"chain":0,"active":[]}}', 5, 1795063845177, 1795063845190, 346, false, false, '\xe34fb89a893de5b002ac12976509ce62802615227ae150aa2f0cff81bb1b8f10');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (2, '', 'held ä/% ✓', 'desk', 5, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'held', 2572663845068, NULL, NULL, 1795063845065, 1795063845076, 792, true, false, '\x4f18090b53c5192f52887e004f75c98d4d3df47c2d2ad30a2b7f5c21a0ae3529');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (9, '', 'agent:scout', 'scout', 5, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'idle', 2572663845207, '{"agent":"scout","last":{"turnId":"Jvlg8FjdC9tDd0xAkB7v6g","askedBy":[{"via":"space","by":"ada","kind":"human","space":"trip"}],"reason":"completed"},"plans":[{"id":"yearly","what":"Look around","missed":"once","nextAt":2572663845207,"askedBy":[{"via":"plan"}]}]}', 5, 1795063845185, 1795063845207, 695, true, false, '\x0e408d805ec2a71452e942ab640a2b3d55562d8470ed5e9a2812ada41d08dd8b');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (3, '', 'asked', 'desk', 4, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'held', 2572663845089, NULL, NULL, 1795063845087, 1795063845090, 659, true, false, '\xfddf3165b0d7f9e84dabdf25ca6240b54e0b7d2eddd7744db1e2ce66e8d9aad6');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (4, '', 'async', 'desk', 5, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'idle', 2572663845108, '{"agent":"desk","people":{"owner":"ada","participants":[]},"last":{"turnId":"7mpxszETrQoQPu8NaB4hfw","askedBy":[{"via":"message","by":"ada"}],"reason":"completed"},"waiting":[{"callId":"7mpxszETrQoQPu8NaB4hfw.1.1","name":"ship","proposed":{"nth":1},"endorsed":[],"holds":1,"resolved":[],"attempt":0,"seqs":[2,3,4],"at":"settled","hold":{"kind":"external","cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"inbox","async":true,"accepts":["answer"],"input":{"nth":1},"inputHash":"d17adbdf099a4c000c148ff9ed3080e6c63fa33c9c365dee79cfe79b71a31f33","fingerprint":"f404b525cb914024a23c1791ebc49e7cabb8429f2ead20a9f9945f0c750add0e","approvers":1,"askedBy":[{"via":"message","by":"ada"}],"expiresAt":2572663845108},"outcome":{"ok":true,"value":{"status":"pending","toolCallId":"7mpxszETrQoQPu8NaB4hfw.1.1","pendingToolCallId":"7mpxszETrQoQPu8NaB4hfw.1.1"}},"open":true}]}', 5, 1795063845104, 1795063845116, 574, true, false, '\x9e1bb94005dba970ed58c9623231d4304a37d71eb2e6815d6ea053f9a124718c');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (5, '', 'later', 'desk', 4, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'held', 2572663845126, NULL, NULL, 1795063845121, 1795063845126, 493, true, false, '\xe253d00f8531b140e23fdd487845777a21421a597536ee3cba56e02c5eeaa39a');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (11, 'acme', 'done', 'desk', 5, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'idle', NULL, '{"agent":"desk","people":{"owner":"ada","participants":[]},"last":{"turnId":"VHGGcnb6aHBRsU7k8OnR8g","askedBy":[{"via":"message","by":"ada"}],"reason":"completed"}}', 5, 1795063845213, 1795063845221, 249, true, false, '\xf512bc1d7c3719136d7d6d393d10be76f3e1d92a95117cdd22a0e1b225f8a241');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (6, '', 'queue', 'desk', 4, 1, 'w69J3vUAzXBqQmdMzUp7UQ', 'held', 2572663845137, NULL, NULL, 1795063845131, 1795063845141, 527, true, false, '\xa3bfa5be45b9c0a9539006f94bedcf368574aeb5cec0485d2d511a0113978a45');



INSERT INTO golden.documents VALUES ('', 'key', 'k/1', 1, 1795063845247, 2572663845247, '{"scopes":["read"]}');
INSERT INTO golden.documents VALUES ('', 'key', 'k/2', 2, 1795063845250, NULL, '2');
INSERT INTO golden.documents VALUES ('acme', 'key', 'k/1', 1, 1795063845255, NULL, 'null');



INSERT INTO golden.hold_labels VALUES ('', 2, 'F3yoM54irb65G6z66gXJdg.1.1', true, '=to:*', 1795063845068);
INSERT INTO golden.hold_labels VALUES ('', 2, 'F3yoM54irb65G6z66gXJdg.1.1', true, '=asked:ada', 1795063845068);
INSERT INTO golden.hold_labels VALUES ('', 2, 'F3yoM54irb65G6z66gXJdg.1.1', false, '=person:ada', 1795063845068);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.1', true, '=to:ada', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.1', true, '=to:*', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.1', true, '=asked:ada', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.1', false, '=person:ada', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.2', true, '=to:*', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.2', true, '=asked:ada', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.2', false, '=person:ada', 1795063845089);
INSERT INTO golden.hold_labels VALUES ('', 4, '7mpxszETrQoQPu8NaB4hfw.1.1', true, '=to:*', 1795063845108);
INSERT INTO golden.hold_labels VALUES ('', 4, '7mpxszETrQoQPu8NaB4hfw.1.1', true, '=asked:ada', 1795063845108);
INSERT INTO golden.hold_labels VALUES ('', 4, '7mpxszETrQoQPu8NaB4hfw.1.1', false, '=person:ada', 1795063845108);
INSERT INTO golden.hold_labels VALUES ('', 5, 'Efsp8x0sl1kIMN-zkIA1mg.1.1', true, '=to:*', 1795063845126);
INSERT INTO golden.hold_labels VALUES ('', 5, 'Efsp8x0sl1kIMN-zkIA1mg.1.1', true, '=asked:ada', 1795063845126);
INSERT INTO golden.hold_labels VALUES ('', 5, 'Efsp8x0sl1kIMN-zkIA1mg.1.1', false, '=person:ada', 1795063845126);
INSERT INTO golden.hold_labels VALUES ('', 6, '6svinX7bf62rnJxZy5J_Iw.1.1', true, '=to:ada', 1795063845137);
INSERT INTO golden.hold_labels VALUES ('', 6, '6svinX7bf62rnJxZy5J_Iw.1.1', true, '=to:*', 1795063845137);
INSERT INTO golden.hold_labels VALUES ('', 6, '6svinX7bf62rnJxZy5J_Iw.1.1', true, '=asked:ada', 1795063845137);
INSERT INTO golden.hold_labels VALUES ('', 6, '6svinX7bf62rnJxZy5J_Iw.1.1', false, '=person:ada', 1795063845137);
INSERT INTO golden.hold_labels VALUES ('acme', 12, 'OPnuQzTB4EpjOc1g6hmTwA.1.1', true, '=to:*', 1795063845227);
INSERT INTO golden.hold_labels VALUES ('acme', 12, 'OPnuQzTB4EpjOc1g6hmTwA.1.1', true, '=asked:ada', 1795063845227);
INSERT INTO golden.hold_labels VALUES ('acme', 12, 'OPnuQzTB4EpjOc1g6hmTwA.1.1', false, '=person:ada', 1795063845227);



INSERT INTO golden.holds VALUES (2, 'F3yoM54irb65G6z66gXJdg.1.1', '', 'desk', 'send', 'approval', true, 1795063845068, 2572663845068, '2,3,4,5');
INSERT INTO golden.holds VALUES (3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.1', '', 'desk', 'budget', 'elicitation', true, 1795063845089, 2572663845089, '2,3');
INSERT INTO golden.holds VALUES (3, 'Q9s9kZi4OqXndGQs3FF2WQ.1.2', '', 'desk', 'print', 'external', true, 1795063845089, 2572663845089, '2,4');
INSERT INTO golden.holds VALUES (4, '7mpxszETrQoQPu8NaB4hfw.1.1', '', 'desk', 'ship', 'external', true, 1795063845108, 2572663845108, '2,3,4');
INSERT INTO golden.holds VALUES (5, 'Efsp8x0sl1kIMN-zkIA1mg.1.1', '', 'desk', 'poll', 'external', true, 1795063845126, 2572663845126, '2,3,4');
INSERT INTO golden.holds VALUES (6, '6svinX7bf62rnJxZy5J_Iw.1.1', '', 'desk', 'budget', 'elicitation', true, 1795063845137, 2572663845137, '2,3');
INSERT INTO golden.holds VALUES (12, 'OPnuQzTB4EpjOc1g6hmTwA.1.1', 'acme', 'desk', 'send', 'approval', true, 1795063845227, 2572663845227, '2,3');



INSERT INTO golden.hp_migrations VALUES (1, '2026-11-19 04:50:44.712512+00', 2);
INSERT INTO golden.hp_migrations VALUES (2, '2026-11-19 04:50:44.712512+00', 2);
INSERT INTO golden.hp_migrations VALUES (3, '2026-11-19 04:50:44.712512+00', 2);



INSERT INTO golden.keys VALUES (1, 'twice', 6, '');
INSERT INTO golden.keys VALUES (8, 'post:88Ox33T6tHSfgGizt-08Hw', 4, '');
INSERT INTO golden.keys VALUES (9, 'space:trip:4', 2, '');






INSERT INTO golden.notes VALUES ('', 1, 'summary-of-test', 2, 5, NULL, '{"text":"ä\u0000"}');



SELECT pg_catalog.setval('golden.conversations_k_seq', 12, true);



ALTER TABLE ONLY golden.agenda
    ADD CONSTRAINT agenda_pkey PRIMARY KEY (tenant, conv);



ALTER TABLE ONLY golden.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (tenant, conv, seq);



ALTER TABLE ONLY golden.conversation_labels
    ADD CONSTRAINT conversation_labels_pkey PRIMARY KEY (tenant, conv, label);



ALTER TABLE ONLY golden.conversations
    ADD CONSTRAINT conversations_tenant_id_key UNIQUE (tenant, id);



ALTER TABLE ONLY golden.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant, kind, id);



ALTER TABLE ONLY golden.hold_labels
    ADD CONSTRAINT hold_labels_pkey PRIMARY KEY (tenant, conv, call_id, own, label);



ALTER TABLE ONLY golden.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (tenant, conv, call_id);



ALTER TABLE ONLY golden.hp_migrations
    ADD CONSTRAINT hp_migrations_pkey PRIMARY KEY (version);



ALTER TABLE ONLY golden.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (tenant, conv, key);



ALTER TABLE ONLY golden.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (node);



ALTER TABLE ONLY golden.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (tenant, conv, kind, seq);



CREATE INDEX agenda_running ON golden.agenda USING btree (conv) WHERE (status = 'running'::text);



CREATE INDEX agenda_wake ON golden.agenda USING btree (agent, wake_at) WHERE (wake_at IS NOT NULL);



CREATE INDEX conversation_labels_list ON golden.conversation_labels USING btree (tenant, label, conv);



CREATE INDEX conversations_newest ON golden.conversations USING btree (tenant, k) WHERE (k > 0);



CREATE INDEX conversations_shown ON golden.conversations USING btree (tenant, k) WHERE (NOT hidden);



CREATE INDEX documents_until ON golden.documents USING btree (until) WHERE (until IS NOT NULL);



CREATE INDEX hold_labels_list ON golden.hold_labels USING btree (tenant, own, label, held_at, conv, call_id);



CREATE INDEX holds_of_call ON golden.holds USING btree (tenant, call_id);



CREATE INDEX holds_open ON golden.holds USING btree (tenant, held_at) WHERE open;



CREATE INDEX holds_open_agent ON golden.holds USING btree (tenant, agent, held_at) WHERE open;



CREATE INDEX holds_open_kind ON golden.holds USING btree (tenant, kind, held_at) WHERE open;



CREATE INDEX holds_open_tool ON golden.holds USING btree (tenant, tool, held_at) WHERE open;



CREATE INDEX notes_until ON golden.notes USING btree (until) WHERE (until IS NOT NULL);




