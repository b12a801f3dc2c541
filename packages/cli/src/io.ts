/** A readable stream of Node, without the types of Node, which a program that uses this package may not have. */
export interface InputStream {
  readonly isTTY?: boolean
  on(event: string, listener: (...args: never[]) => void): unknown
}

/** A writable stream of Node. */
export interface OutputStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** What a command reads and writes: the terminal, a pipe, or a test. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
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
