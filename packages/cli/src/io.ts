/** What a command reads and writes: the terminal, a pipe, or a test. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream
  /** Aborts when the user stops the command. */
  readonly signal: AbortSignal
}

export type ExitCode = 0 | 1 | 2 | 3

/** `refused`: the answer of the system was no, such as a verdict that is not `accepted`. */
export const EXIT: Readonly<Record<'ok' | 'broken' | 'usage' | 'refused', ExitCode>> = {
  ok: 0,
  broken: 1,
  usage: 2,
  refused: 3,
}

/** The arguments are wrong. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
