/** The bytes of files, in pieces. A file is there once its document is; pieces without one are removed by the runtime. */
export const files: string = `
create table :schema.files (
  tenant text collate "C" not null,
  id text collate "C" not null,
  bytes bigint not null,
  at double precision not null,
  primary key (tenant, id)
);

create table :schema.file_pieces (
  tenant text collate "C" not null,
  id text collate "C" not null,
  nth int not null,
  data bytea not null,
  primary key (tenant, id, nth)
);
-- Images and archives are compressed already.
alter table :schema.file_pieces alter column data set storage external;
`
