/** The kinds of SQLite's errors, and messages that tell the operator what to do. */

/** Primary result codes. */
export const BUSY = 5
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
export const FULL = 13
const CANTOPEN = 14
export const NOTADB = 26

/** The extended code of a failed write to a file. */
export const IOERR_WRITE = 778

/** SQLite's extended result code; 0 for an error that is not SQLite's. */
export function codeOf(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : 0
  return typeof code === 'number' ? code : 0
}

export function isKind(error: unknown, primary: number): boolean {
  return (codeOf(error) & 0xff) === primary
}

/** A disk-level error: the connection's view of the file may be wrong from now on. */
export function isDiskTrouble(error: unknown): boolean {
  return isKind(error, IOERR) || isKind(error, CORRUPT) || isKind(error, CANTOPEN) || isKind(error, NOTADB)
}

/** The file itself is damaged, so a retry cannot help. */
export function isDamaged(error: unknown): boolean {
  return isKind(error, CORRUPT) || isKind(error, NOTADB)
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [
    BUSY,
    'another process kept the file locked. Look for a process that is stopped (a debugger, docker pause, SIGSTOP) or ' +
      'has a transaction open, and resume or end it',
  ],
  [READONLY, 'the file cannot be written'],
  [IOERR, 'the disk failed'],
  [CORRUPT, 'the file is damaged; restore a copy'],
  [FULL, 'the disk is full'],
  [CANTOPEN, 'a file next to the database cannot be opened'],
])

export function sqliteErrorMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const meaning = MEANINGS.get(code & 0xff)
  return meaning === undefined ? text : `${meaning} (SQLite: ${text}, code ${code})`
}
