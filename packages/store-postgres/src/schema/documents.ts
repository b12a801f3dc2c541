/** A part of the schema: documents. */
export const documents = `
-- Documents belong to no conversation. Their ids are encoded so that bytes sort as JavaScript sorts strings (\`sortableKey\`).
create table :schema.documents (
  tenant text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  version bigint not null,
  at double precision not null, until double precision, data text not null,
  primary key (tenant, kind, id)
) with (
  -- Claims are renewed often. The free space lets an update stay on the same page.
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.05
);
create index documents_until on :schema.documents (until) where until is not null;

-- Reads first, and writes only if the version is unchanged. A conflict takes no lock and waits for no disk write. If
-- another process writes between the two, the loop reads again and sees what was committed.
create function :schema.put(
  shift double precision, in_tenant text, in_kind text, in_id text,
  expected bigint, given text, ttl double precision,
  out done boolean, out head bigint
) language plpgsql as $$
declare
  seen record;
  now double precision;
begin
  loop
    select version, until into seen from :schema.documents d
      where d.tenant = in_tenant and d.kind = in_kind and d.id = in_id;
    now := :schema.now_ms(shift);
    head := case when seen.version is null or seen.until <= now then 0 else seen.version end;
    done := expected is null or expected = head;
    if not done then return; end if;
    if seen.version is null and given is null then
      return;
    elsif seen.version is null then
      insert into :schema.documents (tenant, kind, id, version, at, until, data)
        values (in_tenant, in_kind, in_id, 1, now, now + ttl, given)
        on conflict (tenant, kind, id) do nothing;
    elsif given is null then
      delete from :schema.documents d
        where d.tenant = in_tenant and d.kind = in_kind and d.id = in_id and d.version = seen.version;
    else
      update :schema.documents d set version = seen.version + 1, at = now, until = now + ttl, data = given
        where d.tenant = in_tenant and d.kind = in_kind and d.id = in_id and d.version = seen.version;
    end if;
    if found then
      head := case when given is null then 0 else coalesce(seen.version, 0) + 1 end;
      return;
    end if;
  end loop;
end $$;
`
