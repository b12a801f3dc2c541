/**
 * How the processes of one database tell each other about writes: LISTEN and NOTIFY, or something else. Messages may get lost, may
 * come twice, and may come from any program: a process that must know reads `heads`.
 */
export interface Notifier {
  /** Sends to all other processes. Rejects when the messages are lost. */
  send(messages: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface NotifierContext {
  /** The same name in all processes of the store. */
  readonly channel: string
  /** The most bytes of a message. */
  readonly maxBytes: number
  /** Gets the messages of other processes, and perhaps those of this one. */
  readonly received: (message: string) => void
  /** Problems that the notifier recovers from. */
  readonly onWarning: (message: string, cause?: unknown) => void
}

/** Waits for the first attempt to connect only, and then reconnects as often as needed. */
export type OpenNotifier = (context: NotifierContext) => Promise<Notifier>
