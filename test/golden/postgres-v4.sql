


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



CREATE TABLE golden.file_pieces (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    nth integer NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY golden.file_pieces ALTER COLUMN data SET STORAGE EXTERNAL;



CREATE TABLE golden.files (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL,
    at double precision NOT NULL
);



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



INSERT INTO golden.agenda VALUES ('', 2, 'desk', 'held', 2572702020400);
INSERT INTO golden.agenda VALUES ('', 3, 'desk', 'held', 2572702020780);
INSERT INTO golden.agenda VALUES ('', 4, 'desk', 'idle', 2572702021384);
INSERT INTO golden.agenda VALUES ('', 5, 'desk', 'held', 2572702022012);
INSERT INTO golden.agenda VALUES ('', 6, 'desk', 'held', 2572702022279);
INSERT INTO golden.agenda VALUES ('', 9, 'scout', 'idle', 2572702024567);
INSERT INTO golden.agenda VALUES ('acme', 12, 'desk', 'held', 2572702025451);



INSERT INTO golden.batches VALUES (1, 1, 1795102017369, '6gya1x3e8y5', '10Bzr6x7RQURmL7083ldQA desk!8"look"}],"by":"ada"}}]}]', NULL, '', '\x1552e3765f5f31289af0b41623527bc066aafb641a68beb166c2f86a899a3057');
INSERT INTO golden.batches VALUES (1, 3, 1795102018803, 'g4sa1ejjkob', '10Bzr6x7RQURmL7083ldQA1One moment." 1.1call-1look	{"nth":1}
105}}$ 1.1]', NULL, '', '\x8f2a5a169f8e74210d67d1a673333d730f990289e7061f4de7fc47b444af3727');
INSERT INTO golden.batches VALUES (1, 4, 1795102019059, 'gq9p15lu8qa', '10Bzr6x7RQURmL7083ldQA1.1","attempt":2}]', NULL, '', '\xd47d57ae3d9d8ecd454a86f61d0b26ef9f693b5d24cfe294feeb9a5d43b73e64');
INSERT INTO golden.batches VALUES (1, 5, 1795102019279, '5sty0lta9g3', '10Bzr6x7RQURmL7083ldQA1.1{"found":3}}}]', NULL, '', '\x535688d277f80797fe2f92d8bfa9faf1aa56b52a09f608cfda7e17041ef4af6f');
INSERT INTO golden.batches VALUES (1, 6, 1795102019575, 'nspd0wupzur', '10Bzr6x7RQURmL7083ldQA2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\x9b48c7c847d50122878e04120ea9324eccc79554133588f98f096121ead9bbbf');
INSERT INTO golden.batches VALUES (1, 7, 1795102019632, 'q9871fj2y46', 'uebX4v2naIX1vI7kLXt-Lg desk!8"look again"}],"by":"ada"}}]}]', NULL, '', '\x3aa0516a688cb642f24429b194fd5fe8f7f98456e65078b90b7b3601c2849119');
INSERT INTO golden.batches VALUES (1, 9, 1795102019740, 'xted09hwen8', 'uebX4v2naIX1vI7kLXt-Lg1One moment." 1.1call-3look	{"nth":1}
105}}$ 1.1]', NULL, '', '\x832b4817a7dd894d836eea1f518bc7dda5225cdbf8395bc81acafe445fa572f7');
INSERT INTO golden.batches VALUES (1, 10, 1795102019842, 'uo3813m6jag', 'uebX4v2naIX1vI7kLXt-Lg1.1{"found":3}}}]', NULL, '', '\x4aa16e85c6a92af9bdeaa0d24369b0ec8cb2e9ad30920bd8ffa579b314de31b6');
INSERT INTO golden.batches VALUES (1, 11, 1795102019918, '15vvo0io8wya', 'uebX4v2naIX1vI7kLXt-Lg2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\x3d4986e0f2d54723faf36f4fbf136a1fe47a30702c81bc6ca993ea859d0bfbaa');
INSERT INTO golden.batches VALUES (2, 1, 1795102020317, 'fz440wbrn1y', 'Fgc3vP2oywmHyJ-4BAVObQ desk!8"send"}],"by":"ada"}}]}]', NULL, '', '\x2201646a897db870a28d915fefa60a5ab6c51489bb24f4b604fca267c4c34e3c');
INSERT INTO golden.batches VALUES (2, 3, 1795102020400, '14p8b1n2q9j2', 'Fgc3vP2oywmHyJ-4BAVObQ1One moment." 1.1call-5send	{"nth":1}
105}} 1.1","hold":{"kind":"approval","cause":"tool","reason":"It leaves the company.",6#0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMrFSWvkeAa0qNcMSnJcxQk_8u77jI6fZjhZvgfhXiRAQ,"approvers":2,"notRequester":true,"askedBy":[{"via":"message9ada"}],"timeoutMs":777600000000,"definition":{"description":"Send","executor":"server	{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{},"additionalProperties":{}}}2572702020400]', NULL, '', '\xc594f66c3c497b1d8d0b26c636b1190ae39928deda4a39d3173ec922f8b0991e');
INSERT INTO golden.batches VALUES (2, 4, 1795102020723, 'qhq41bpp7z3', '[{"type":"call.endorsed","callId":"Fgc3vP2oywmHyJ-4BAVObQ1.19bob"0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzM}]', NULL, '', '\x80ddde466800251c86290c0b518326a2fae761aa17009b142f0ad6d0dc39687a');
INSERT INTO golden.batches VALUES (2, 5, 1795102020869, 'l1m80rqr0aw', '[{"type":"hold.commented","callId":"Fgc3vP2oywmHyJ-4BAVObQ1.1","text":"Looks fine.9bob"}]', NULL, '', '\x04180fc5c72fe203ddfda0b018957c3e78749c40452d9864ecff1256613f207b');
INSERT INTO golden.batches VALUES (3, 1, 1795102020636, 'q91d0ht4sv6', '2gIo_cE_L21MJA0Ud-tSEA desk!8"budget and print"}],"by":"ada"}}]}]', NULL, '', '\x9bc3f5a6a63da09e8907a429b29cd14d66f52f18cfa3c236b098e66e09a18efe');
INSERT INTO golden.batches VALUES (3, 4, 1795102020780, 'trgv1bnspci', '2gIo_cE_L21MJA0Ud-tSEA1One moment." 1.1call-6-1budget	{"nth":1} 1.2call-6-2print	$
105}} 1.11"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"reject","accepts":["answer","reject"],"input":{"nth":1}0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMNxR0Sn3qtq2JR2PO6c7fuOuLxbN85cALh_HJyUFlf3I,"approvers":1,"askedBy":[{"via":"message9ada"}]2572702020780} 1.22"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"inbox",5$0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMOQ8w1VwxR_D0GT23SWM1jw9veI9NvQgNTlSiaaxS_nI''9(2572702020780}}]', NULL, '', '\xdecd49c65de33ff6da71e8a4a58f02a3f418d2d68e512169d388fdf194440032');
INSERT INTO golden.batches VALUES (4, 1, 1795102020988, 'gz2w178mah0', 'YzL2O_iWHMbQZFAIYEwvwA desk!8"ship"}],"by":"ada"}}]}]', NULL, '', '\x1410805e2cfa95e5c6e92a98cb64656077902d7ab86c8ce89216cedaafe13b60');
INSERT INTO golden.batches VALUES (4, 4, 1795102021384, '98gc1lcuzuw', 'YzL2O_iWHMbQZFAIYEwvwA1One moment." 1.1call-7ship	{"nth":1}
105}} 1.12"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"inbox","async":true,5#0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzM9AS1JcuRQCSiPBeR68SefKu4Qp8urSCp-ZRfDHUK3Q4,"approvers":1,"askedBy":[{"via":"message9ada"}]2572702021384}% 1.1{"status":"pending","toolCallId":"YzL2O_iWHMbQZFAIYEwvwA1.1","pendingToolCallId":"YzL2O_iWHMbQZFAIYEwvwA1.1"}}}]', NULL, '', '\x7e94dffd5fc137f07029bda94c8fb777c72c1be9c3c8d1072efa1f666e5aa6d0');
INSERT INTO golden.batches VALUES (4, 5, 1795102021519, '12m89142kmur', 'YzL2O_iWHMbQZFAIYEwvwA2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\x8a75fd5e66ef00340b273c4fbe9078373090378889042f340bedc7a0f2937bc8');
INSERT INTO golden.batches VALUES (5, 1, 1795102021768, 'u2y2026fl9b', '3d6xZUTFqfZVlbQ257LrtA desk!8"poll"}],"by":"ada"}}]}]', NULL, '', '\xa28970774a6bf37569e3109c3e97814a2b4f73c2b1d81619f98de99525c3056b');
INSERT INTO golden.batches VALUES (5, 3, 1795102021878, '11txa1f9edm6', '3d6xZUTFqfZVlbQ257LrtA1One moment." 1.1call-9poll	{"nth":1}
105}}$ 1.1]', NULL, '', '\x0f2ee9579b6333f3a05ee9cbed6ec1ce79c9779c3ee03eebd72aa712e426d699');
INSERT INTO golden.batches VALUES (5, 4, 1795102022012, '14n8b1lvhz7g', '&3d6xZUTFqfZVlbQ257LrtA1.1","hold":{"input":{"nth":1}0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMBVLJ1XGQJ8qsKG_OhEnjCgzNpJFdaGAhZaTdI46u5Ws,4"approvers":1,"askedBy":[{"via":"message9ada"}],"late":"reject","kind":"external","accepts":["answer"],"resumes":"deadline","timeoutMs":777600000000,"onExpire":"error"2572702022012},"state":{"nth":1}}]', NULL, '', '\x866c33cba01da60ddbd5f979d26fcb6c5c6e46fbf1cd3f3831956f49727d9886');
INSERT INTO golden.batches VALUES (6, 1, 1795102022201, '11tt0xukiu6', 'OIThrbqrPBlQc1or2lbGzA desk!8"budget"}],"by":"ada"}}]}]', NULL, '', '\x5a51bb66f902514725fc4aec3fed8a4c32356f73df86cd5b6981f60d05be3627');
INSERT INTO golden.batches VALUES (6, 3, 1795102022279, 'xie61i5xe9s', 'OIThrbqrPBlQc1or2lbGzA1One moment." 1.1call-10budget	{"nth":1}
105}} 1.11"cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"reject","accepts":["answer","reject"],"input":{"nth":1}0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMNxR0Sn3qtq2JR2PO6c7fuOuLxbN85cALh_HJyUFlf3I,"approvers":1,"askedBy":[{"via":"message9ada"}]2572702022279}}]', NULL, '', '\xd73a1daa4e42e0fbbb9ad06029353b5bffab8983db8a65f8ec7d2d60e6036b95');
INSERT INTO golden.batches VALUES (6, 4, 1795102022366, '12x3s196j4wu', '[{"type":"message.queued","item":{"kind":"message","message":{"parts":[,And then look"}],"by":"ada"}}}]', NULL, '', '\x43c0e47e14fe8ff845612ccd9bff9a84d68d9ea4a9d4a7047b7c4d409f1537a8');
INSERT INTO golden.batches VALUES (7, 6, 1795102023338, '14cmy0o2hi5p', '[{"type":"conversation.erased desk","reason":"request 129ada"}]', 5, '', '\xd444686b73ffcc40ec51497f62983ce0d504de5b7e826d240eac136603c7ec8e');
INSERT INTO golden.batches VALUES (1, 12, 1795102023673, 'uwie1elekdt', '[{"type":"participants.changed","add":["eve"],"remove":[],"by":"ada"}]', NULL, '', '\x5c93d4558a72f081fbe88c542b0e61ef618c092cccc01df7db9c938a6bf27398');
INSERT INTO golden.batches VALUES (8, 3, 1795102023859, 'yzho0noews9', '[{"type":"space.openedTrip","agentMessages":12,"by":"ada"},{"type":"member.joined","member":{"kind":"human","id":"ada"},"role":"owner9ada"},{"type":"member.joined","member":{"kind":"agent","id":"scout"},"role":"member"}]', NULL, '', '\x4588bee084681d2cb4185100d13df744830c91850028bef85f6bf260d01203bb');
INSERT INTO golden.batches VALUES (8, 4, 1795102023928, '4c8n008ruer', '[{"type":"message.posted","from":{"kind":"human","id":"ada"},"text":"Find a hotel"}]', NULL, '', '\x8a8f1d6b0699b90dda511ce80ed1d545fd3cc3f0b07e2a3bf55a36e038289065');
INSERT INTO golden.batches VALUES (9, 2, 1795102024106, '11g3x1p230xv', '[{"type":"conversation.opened scout"},{"type":"message.queued","item":{"kind":"event","id":"space:trip:4","at":1795102023928,"event":{"type":"space.messageTrip","seq":4,"from":{"kind":"human","id":"ada"},"text":"Find a hotel","space":"trip"}}}]', NULL, '', '\xbbbc94838479555c7330f7a2748b4251cd5ddff600be60b415ee2e9ffcea204c');
INSERT INTO golden.batches VALUES (8, 5, 1795102024246, 'wtri08udfj5', '[{"type":"notices.delivered","count":1}]', NULL, '', '\x6ce0d0dca7069f5cd1d2c309026a0f88ec7418f72c1ae90d50d02717aed0f5a5');
INSERT INTO golden.batches VALUES (9, 3, 1795102024219, '2qco0n8qy5b', 'XhMVJQo63pYSX977fMO6pg scout!8},"cycle":true,"items":[{"kind":"event","id":"space:trip:4","at":1795102023928,"event":{"type":"space.messageTrip","seq":4,"from":{"kind":"human","id":"ada"},"text":"Find a hotel","space":"trip"}}],"queued":1,"upTo":2}]', NULL, '', '\x83fc669a6e373636d715e543f9b5f033cae305d85b1f5b1e46d77ce292b4a0eb');
INSERT INTO golden.batches VALUES (9, 4, 1795102024347, 'vacl1rdq500', 'XhMVJQo63pYSX977fMO6pg1The end. ✓ \u0000 \"quoted\"105}}}]', NULL, '', '\xed8885564ec713ef80e61780e3c5073288cf9b49be72ea9e0c4772be5ade7d41');
INSERT INTO golden.batches VALUES (9, 5, 1795102024567, 'vcm0087qy3j', '[{"type":"plan.set","plan":{"id":"yearly","what":"Look around","missed":"once","nextAt":2572702024567,"askedBy":[{"via":"plan"}]}}]', NULL, '', '\x2a7aa40d60f239ecd418350555bc46d40de9d70c100f86357621fafa78b24902');
INSERT INTO golden.batches VALUES (11, 1, 1795102024827, 'u84h13hvu30', 'w1L9QO8FFmQyPr9lZPvKQw desk!8"look"}],"by":"ada"}}]}]', NULL, 'acme', '\x32ede8fc6bc3b691379f6a6fe8bb276a2a9ab71767f3f5cc31467c09ad946eed');
INSERT INTO golden.batches VALUES (11, 3, 1795102025015, 'vxkj0l4kob0', 'w1L9QO8FFmQyPr9lZPvKQw1One moment." 1.1call-14look	{"nth":1}
105}}$ 1.1]', NULL, 'acme', '\x1334e95b472372126f6add4027dc9c0372d9738a485386053a4057e4782c6b43');
INSERT INTO golden.batches VALUES (11, 4, 1795102025089, 'zurq1cxbtxe', 'w1L9QO8FFmQyPr9lZPvKQw1.1{"found":3}}}]', NULL, 'acme', '\x7eacd0ffffae0b4e19ec654932c01cc980a7ef6c1fba8e6563e3c5c26d4df00f');
INSERT INTO golden.batches VALUES (11, 5, 1795102025147, 'osan1rym0z5', 'w1L9QO8FFmQyPr9lZPvKQw2The end. ✓ \u0000 \"quoted\"105}}}]', NULL, 'acme', '\x9abde96bd342406a3f93e65b7f7ee664c409109034981bd5646a2e57d2c634b4');
INSERT INTO golden.batches VALUES (12, 1, 1795102025252, '153w21cd9y02', 'pw3pe8Gx3NkQdIjJvtmB0g desk!8"send"}],"by":"ada"}}]}]', NULL, 'acme', '\x8879545579f0ea728ee23326e13ca7c26cdf803d2e890c435dfac437bb4fffe2');
INSERT INTO golden.batches VALUES (12, 3, 1795102025451, '17u1j03rpfe2', 'pw3pe8Gx3NkQdIjJvtmB0g1One moment." 1.1call-16send	{"nth":1}
105}} 1.1","hold":{"kind":"approval","cause":"tool","reason":"It leaves the company.",6#0Xrb3wmaTAAMFI_57TCA5sY_ozycNl3uec_nm3GjHzMrFSWvkeAa0qNcMSnJcxQk_8u77jI6fZjhZvgfhXiRAQ,"approvers":2,"notRequester":true,"askedBy":[{"via":"message9ada"}],"timeoutMs":777600000000,"definition":{"description":"Send","executor":"server	{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{},"additionalProperties":{}}}2572702025451]', NULL, 'acme', '\x7b8b84d7c085be5acc3cf777e626008b21d647359fb1463cf4c64bbbc9cf4994');



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



INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (7, '', 'erased', 'desk', 6, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'idle', NULL, '{"agent":"desk","erased":{"at":1795102023338,"reason":"request 12","by":"ada"}}', 6, 1795102022631, 1795102023338, 65, true, true, '\xd444686b73ffcc40ec51497f62983ce0d504de5b7e826d240eac136603c7ec8e');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (1, '', 'done', 'desk', 12, 2, 'b3q2bbN_NGPqe0LrHoGu2w', 'idle', NULL, '{"agent":"desk","people":{"owner":"ada","participants":["eve"]},"last":{"turnId":"uebX4v2naIX1vI7kLXt-Lg","askedBy":[{"via":"message","by":"ada"}],"reason":"completed"}}', 12, 1795102017369, 1795102023673, 614, true, false, '\x5c93d4558a72f081fbe88c542b0e61ef618c092cccc01df7db9c938a6bf27398');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (12, 'acme', 'held ä/% ✓', 'desk', 3, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'held', 2572702025451, NULL, NULL, 1795102025252, 1795102025451, 587, true, false, '\x7b8b84d7c085be5acc3cf777e626008b21d647359fb1463cf4c64bbbc9cf4994');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (8, '', 'trip', 'holdpoint.space', 5, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'idle', NULL, '{"space":{"name":"Trip","agentMessages":12,"members":[{"member":{"kind":"human","id":"ada"},"role":"owner","joinedAt":1795102023859,"read":4},{"member":{"kind":"agent","id":"scout"},"role":"member","joinedAt":1795102023859,"read":0}],"chain":0,"active":[]}}', 5, 1795102023859, 1795102024246, 346, false, false, '\x6ce0d0dca7069f5cd1d2c309026a0f88ec7418f72c1ae90d50d02717aed0f5a5');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (9, '', 'agent:scout', 'scout', 5, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'idle', 2572702024567, '{"agent":"scout","last":{"turnId":"XhMVJQo63pYSX977fMO6pg","askedBy":[{"via":"space","by":"ada","kind":"human","space":"trip"}],"reason":"completed"},"plans":[{"id":"yearly","what":"Look around","missed":"once","nextAt":2572702024567,"askedBy":[{"via":"plan"}]}]}', 5, 1795102024106, 1795102024567, 695, true, false, '\x2a7aa40d60f239ecd418350555bc46d40de9d70c100f86357621fafa78b24902');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (2, '', 'held ä/% ✓', 'desk', 5, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'held', 2572702020400, NULL, NULL, 1795102020317, 1795102020869, 791, true, false, '\x04180fc5c72fe203ddfda0b018957c3e78749c40452d9864ecff1256613f207b');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (3, '', 'asked', 'desk', 4, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'held', 2572702020780, NULL, NULL, 1795102020636, 1795102020780, 657, true, false, '\xdecd49c65de33ff6da71e8a4a58f02a3f418d2d68e512169d388fdf194440032');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (4, '', 'async', 'desk', 5, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'idle', 2572702021384, '{"agent":"desk","people":{"owner":"ada","participants":[]},"last":{"turnId":"YzL2O_iWHMbQZFAIYEwvwA","askedBy":[{"via":"message","by":"ada"}],"reason":"completed"},"waiting":[{"callId":"YzL2O_iWHMbQZFAIYEwvwA.1.1","name":"ship","proposed":{"nth":1},"endorsed":[],"holds":1,"resolved":[],"attempt":0,"seqs":[2,3,4],"at":"settled","hold":{"kind":"external","cause":"tool","timeoutMs":777600000000,"onExpire":"error","late":"inbox","async":true,"accepts":["answer"],"input":{"nth":1},"inputHash":"d17adbdf099a4c000c148ff9ed3080e6c63fa33c9c365dee79cfe79b71a31f33","fingerprint":"f404b525cb914024a23c1791ebc49e7cabb8429f2ead20a9f9945f0c750add0e","approvers":1,"askedBy":[{"via":"message","by":"ada"}],"expiresAt":2572702021384},"outcome":{"ok":true,"value":{"status":"pending","toolCallId":"YzL2O_iWHMbQZFAIYEwvwA.1.1","pendingToolCallId":"YzL2O_iWHMbQZFAIYEwvwA.1.1"}},"open":true}]}', 5, 1795102020988, 1795102021519, 573, true, false, '\x8a75fd5e66ef00340b273c4fbe9078373090378889042f340bedc7a0f2937bc8');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (11, 'acme', 'done', 'desk', 5, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'idle', NULL, '{"agent":"desk","people":{"owner":"ada","participants":[]},"last":{"turnId":"w1L9QO8FFmQyPr9lZPvKQw","askedBy":[{"via":"message","by":"ada"}],"reason":"completed"}}', 5, 1795102024827, 1795102025147, 249, true, false, '\x9abde96bd342406a3f93e65b7f7ee664c409109034981bd5646a2e57d2c634b4');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (5, '', 'later', 'desk', 4, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'held', 2572702022012, NULL, NULL, 1795102021768, 1795102022012, 492, true, false, '\x866c33cba01da60ddbd5f979d26fcb6c5c6e46fbf1cd3f3831956f49727d9886');
INSERT INTO golden.conversations OVERRIDING SYSTEM VALUE VALUES (6, '', 'queue', 'desk', 4, 1, 'b3q2bbN_NGPqe0LrHoGu2w', 'held', 2572702022279, NULL, NULL, 1795102022201, 1795102022366, 527, true, false, '\x43c0e47e14fe8ff845612ccd9bff9a84d68d9ea4a9d4a7047b7c4d409f1537a8');



INSERT INTO golden.documents VALUES ('', 'key', 'k/1', 1, 1795102026010, 2572702026010, '{"scopes":["read"]}');
INSERT INTO golden.documents VALUES ('', 'key', 'k/2', 2, 1795102026207, NULL, '2');
INSERT INTO golden.documents VALUES ('acme', 'key', 'k/1', 1, 1795102026294, NULL, 'null');









INSERT INTO golden.hold_labels VALUES ('', 2, 'Fgc3vP2oywmHyJ-4BAVObQ.1.1', true, '=to:*', 1795102020400);
INSERT INTO golden.hold_labels VALUES ('', 2, 'Fgc3vP2oywmHyJ-4BAVObQ.1.1', true, '=asked:ada', 1795102020400);
INSERT INTO golden.hold_labels VALUES ('', 2, 'Fgc3vP2oywmHyJ-4BAVObQ.1.1', false, '=person:ada', 1795102020400);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.1', true, '=to:*', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.1', true, '=asked:ada', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.1', false, '=person:ada', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.1', true, '=asks:ada', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.2', true, '=to:*', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.2', true, '=asked:ada', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 3, '2gIo_cE_L21MJA0Ud-tSEA.1.2', false, '=person:ada', 1795102020780);
INSERT INTO golden.hold_labels VALUES ('', 4, 'YzL2O_iWHMbQZFAIYEwvwA.1.1', true, '=to:*', 1795102021384);
INSERT INTO golden.hold_labels VALUES ('', 4, 'YzL2O_iWHMbQZFAIYEwvwA.1.1', true, '=asked:ada', 1795102021384);
INSERT INTO golden.hold_labels VALUES ('', 4, 'YzL2O_iWHMbQZFAIYEwvwA.1.1', false, '=person:ada', 1795102021384);
INSERT INTO golden.hold_labels VALUES ('', 5, '3d6xZUTFqfZVlbQ257LrtA.1.1', true, '=to:*', 1795102022012);
INSERT INTO golden.hold_labels VALUES ('', 5, '3d6xZUTFqfZVlbQ257LrtA.1.1', true, '=asked:ada', 1795102022012);
INSERT INTO golden.hold_labels VALUES ('', 5, '3d6xZUTFqfZVlbQ257LrtA.1.1', false, '=person:ada', 1795102022012);
INSERT INTO golden.hold_labels VALUES ('', 6, 'OIThrbqrPBlQc1or2lbGzA.1.1', true, '=to:*', 1795102022279);
INSERT INTO golden.hold_labels VALUES ('', 6, 'OIThrbqrPBlQc1or2lbGzA.1.1', true, '=asked:ada', 1795102022279);
INSERT INTO golden.hold_labels VALUES ('', 6, 'OIThrbqrPBlQc1or2lbGzA.1.1', false, '=person:ada', 1795102022279);
INSERT INTO golden.hold_labels VALUES ('', 6, 'OIThrbqrPBlQc1or2lbGzA.1.1', true, '=asks:ada', 1795102022279);
INSERT INTO golden.hold_labels VALUES ('acme', 12, 'pw3pe8Gx3NkQdIjJvtmB0g.1.1', true, '=to:*', 1795102025451);
INSERT INTO golden.hold_labels VALUES ('acme', 12, 'pw3pe8Gx3NkQdIjJvtmB0g.1.1', true, '=asked:ada', 1795102025451);
INSERT INTO golden.hold_labels VALUES ('acme', 12, 'pw3pe8Gx3NkQdIjJvtmB0g.1.1', false, '=person:ada', 1795102025451);



INSERT INTO golden.holds VALUES (2, 'Fgc3vP2oywmHyJ-4BAVObQ.1.1', '', 'desk', 'send', 'approval', true, 1795102020400, 2572702020400, '2,3,4,5');
INSERT INTO golden.holds VALUES (3, '2gIo_cE_L21MJA0Ud-tSEA.1.1', '', 'desk', 'budget', 'elicitation', true, 1795102020780, 2572702020780, '2,3');
INSERT INTO golden.holds VALUES (3, '2gIo_cE_L21MJA0Ud-tSEA.1.2', '', 'desk', 'print', 'external', true, 1795102020780, 2572702020780, '2,4');
INSERT INTO golden.holds VALUES (4, 'YzL2O_iWHMbQZFAIYEwvwA.1.1', '', 'desk', 'ship', 'external', true, 1795102021384, 2572702021384, '2,3,4');
INSERT INTO golden.holds VALUES (5, '3d6xZUTFqfZVlbQ257LrtA.1.1', '', 'desk', 'poll', 'external', true, 1795102022012, 2572702022012, '2,3,4');
INSERT INTO golden.holds VALUES (6, 'OIThrbqrPBlQc1or2lbGzA.1.1', '', 'desk', 'budget', 'elicitation', true, 1795102022279, 2572702022279, '2,3');
INSERT INTO golden.holds VALUES (12, 'pw3pe8Gx3NkQdIjJvtmB0g.1.1', 'acme', 'desk', 'send', 'approval', true, 1795102025451, 2572702025451, '2,3');



INSERT INTO golden.hp_migrations VALUES (1, '2026-11-19 15:26:54.222485+00', 2);
INSERT INTO golden.hp_migrations VALUES (2, '2026-11-19 15:26:54.222485+00', 2);
INSERT INTO golden.hp_migrations VALUES (3, '2026-11-19 15:26:54.222485+00', 2);
INSERT INTO golden.hp_migrations VALUES (4, '2026-11-19 15:26:54.222485+00', 2);



INSERT INTO golden.keys VALUES (1, 'twice', 7, '');
INSERT INTO golden.keys VALUES (8, 'post:0kT8ds8P8-RvO7AU9UE0xA', 4, '');
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



ALTER TABLE ONLY golden.file_pieces
    ADD CONSTRAINT file_pieces_pkey PRIMARY KEY (tenant, id, nth);



ALTER TABLE ONLY golden.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (tenant, id);



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




