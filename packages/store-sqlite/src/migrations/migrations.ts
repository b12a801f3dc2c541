/** All migrations, in order. A released migration never changes; a later one corrects it. */
import { schema } from './0001-schema.ts'

/** The version of a file is the number of migrations that were applied to it. */
export const MIGRATIONS: readonly string[] = [schema]
