/**
 * A line of an export of conversations, as JSON Lines. The same logs always give the same lines, so an export that was
 * imported into another store is exported there byte by byte as before.
 */
import type { FileFacts } from './file-store.ts'
import type { LogEvent } from './log-event.ts'
import type { Note } from './store.ts'

export const EXPORT_FORMAT = 'holdpoint.conversations'
export const EXPORT_VERSION = 1

export interface ExportedFile extends FileFacts {
  readonly id: string
  readonly mediaType: string
  readonly name?: string
  /** Who uploaded it. */
  readonly by?: string
  readonly at: number
}

export type ConversationLine =
  /** The first line. */
  | { readonly type: 'export'; readonly format: typeof EXPORT_FORMAT; readonly version: typeof EXPORT_VERSION }
  /** The events of the conversation, of an autonomous agent's log or of a space follow. */
  | { readonly type: 'conversation'; readonly data: { readonly id: string } }
  /** A file that the conversation has. Its bytes follow, in pieces. The files are before the events. */
  | { readonly type: 'file'; readonly conversationId: string; readonly file: ExportedFile }
  /** The next piece of the file before it. */
  | { readonly type: 'bytes'; readonly conversationId: string; readonly base64: string }
  | { readonly type: 'event'; readonly conversationId: string; readonly event: LogEvent }
  /** A summary of the oldest turns, which the log itself does not have. It follows the events. */
  | { readonly type: 'note'; readonly conversationId: string; readonly note: Note }
  /** Without this last line, the export is incomplete. */
  | { readonly type: 'end'; readonly conversations: number; readonly events: number }

/** The event with its fields in a fixed order: that of a store depends on how the event was written. */
export function inOrder({ seq, at, ...body }: LogEvent): LogEvent {
  return { seq, at, ...body }
}
