/**
 * Every table and every statement about a conversation begins with the tenant, so that PostgreSQL's distributed forms can keep a
 * tenant on one server. `batches` and `keys` get the column, and the primary key of `holds` gets another order.
 *
 * The functions are long, and only a few conditions change, so the migration lists those. It also compares `tableoid` where a row
 * is found by its `ctid`, which is unique only inside one partition. A change that is found nowhere fails the migration.
 *
 * `case when open then true end` is `open`, but hides it from the planner: for the empty table, an index of all open holds of the
 * tenant looks as good as the primary key, and the cached plan would stay in use while the table grows.
 */
const CHANGES: readonly (readonly [string, string])[] = [
  ['from :schema.keys u where u.conv = k and', 'from :schema.keys u where u.tenant = tenants[i] and u.conv = k and'],
  ['from :schema.keys u where u.conv = c.k and', 'from :schema.keys u where u.tenant = c.tenant and u.conv = c.k and'],
  ['from :schema.batches where conv = c.k and', 'from :schema.batches where tenant = c.tenant and conv = c.k and'],
  ['insert into :schema.batches (conv,', 'insert into :schema.batches (tenant, conv,'],
  ['select ks[i], heads[i], ats[i], marks[i]', 'select tenants[i], ks[i], heads[i], ats[i], marks[i]'],
  [
    'insert into :schema.keys (conv, key, seq)\n      select ks[i],',
    'insert into :schema.keys (tenant, conv, key, seq)\n      select tenants[i], ks[i],',
  ],
  [
    'set agent = agents[one] where conv = ks[one] and open',
    'set agent = agents[one] where tenant = tenants[one] and conv = ks[one] and case when open then true end',
  ],
  [
    'select ctid as place from :schema.holds where call_id',
    'select ctid as place, tableoid as part from :schema.holds where tenant = tenants[i] and call_id',
  ],
  ['where h.ctid = p.place;', 'where h.ctid = p.place and h.tableoid = p.part;'],
  ['on conflict (call_id, conv) do nothing', 'on conflict (tenant, conv, call_id) do nothing'],
  ['select ctid as place from :schema.agenda', 'select ctid as place, tableoid as part from :schema.agenda'],
  ['where a.ctid = p.place;', 'where a.ctid = p.place and a.tableoid = p.part;'],
  [
    'select * from :schema.holds where conv = ks[i] and open',
    'select * from :schema.holds where tenant = tenants[i] and conv = ks[i] and case when open then true end',
  ],
  [
    'delete from :schema.batches where conv = in_conv',
    'delete from :schema.batches where tenant = in_tenant and conv = in_conv',
  ],
  [
    'delete from :schema.keys where conv = in_conv',
    'delete from :schema.keys where tenant = in_tenant and conv = in_conv',
  ],
  [
    'delete from :schema.holds where conv = in_conv',
    'delete from :schema.holds where tenant = in_tenant and conv = in_conv',
  ],
]

const literal = (text: string): string => `$change$${text}$change$`

export const tenantFirst: string = `
alter table :schema.batches add column tenant text collate "C";
update :schema.batches b set tenant = c.tenant from :schema.conversations c where c.k = b.conv;
delete from :schema.batches where tenant is null;
alter table :schema.batches alter column tenant set not null, drop constraint batches_pkey, add primary key (tenant, conv, seq);

alter table :schema.keys add column tenant text collate "C";
update :schema.keys u set tenant = c.tenant from :schema.conversations c where c.k = u.conv;
delete from :schema.keys where tenant is null;
alter table :schema.keys alter column tenant set not null, drop constraint keys_pkey, add primary key (tenant, conv, key);

alter table :schema.holds drop constraint holds_pkey, add primary key (tenant, conv, call_id);
drop index :schema.holds_of_conv;
create index holds_of_call on :schema.holds (tenant, call_id);

do $do$
declare
  change text[];
  function regprocedure;
  definition text;
  found int;
begin
  foreach change slice 1 in array array[
    ${CHANGES.map(([from, to]) => `array[${literal(from)}, ${literal(to)}]`).join(',\n    ')}
  ] loop
    found := 0;
    for function in select oid::regprocedure from pg_proc where pronamespace = ':schema'::regnamespace loop
      definition := pg_get_functiondef(function);
      if position(change[1] in definition) > 0 then
        execute replace(definition, change[1], change[2]);
        found := found + 1;
      end if;
    end loop;
    if found = 0 then raise exception 'no function has "%"', change[1]; end if;
  end loop;
end $do$;
`
