/**
 * All migrations, in order. A released migration never changes; a later one corrects it. During a rolling upgrade, processes of
 * the previous version run on the newer schema. So a migration adds: tables, functions, columns that may be null or have a
 * default. One that changes what a stored function expects also renames it, and keeps the old one for a version.
 */
import { schema } from './0001-schema.ts'
import { tenantFirst } from './0002-tenant-first.ts'
import { chain } from './0003-chain.ts'
import { files } from './0004-files.ts'

export const MIGRATIONS: readonly string[] = [schema, tenantFirst, chain, files]

/**
 * The oldest version of this package, by the number of its migrations, that may run on the schema that the migrations above make.
 * Raise it with a migration that an older version would damage or could not use: then all processes are stopped for the upgrade.
 */
export const OLDEST = 2
