/**
 * Every change of the schema, in order. What was released is never changed: a later one puts it right. `:schema` stands
 * for the name of the schema.
 */
import { tables } from './0001-tables.ts'
import { append } from './0002-append.ts'
import { documents } from './0003-documents.ts'
import { callsByTheirId } from './0004-calls-by-their-id.ts'
import { nearDeadlines } from './0005-near-deadlines.ts'
import { agenda } from './0006-agenda.ts'
import { appendTogether } from './0007-append-together.ts'

export const MIGRATIONS: readonly string[] = [
  tables,
  append,
  documents,
  callsByTheirId,
  nearDeadlines,
  agenda,
  appendTogether,
]
