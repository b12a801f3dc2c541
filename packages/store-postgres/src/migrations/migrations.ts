/**
 * All migrations, in order. A released migration never changes; a later one corrects it. A migration that changes what a
 * stored function expects also renames it, so that running processes of the previous version fail instead of writing
 * wrong data.
 */
import { schema } from './0001-schema.ts'

export const MIGRATIONS: readonly string[] = [schema]
