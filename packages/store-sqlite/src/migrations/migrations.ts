/** All migrations, in order. A released migration never changes; a later one corrects it. */
import { schema } from './0001-schema.ts'
import { chain } from './0002-chain.ts'

/** The version of a file is the number of migrations that were applied to it. */
export const MIGRATIONS: readonly string[] = [schema, chain]
