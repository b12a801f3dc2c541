/** What SQLite's errors mean: which kind one is, and how to say so to somebody who has to do something about it. */

/** Primary result codes; the rest of a code says more, and is not needed to decide. */
export const BUSY = 5
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
export const FULL = 13
const CANTOPEN = 14
export const NOTADB = 26

/** A write into a file failed, of all the ways in which the disk can fail. */
export const IOERR_WRITE = 778

/** SQLite's extended result code; 0 for an error that is not SQLite's. */
export function codeOf(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : 0
  return typeof code === 'number' ? code : 0
}

export function isKind(error: unknown, primary: number): boolean {
  return (codeOf(error) & 0xff) === primary
}

/** Disk-level trouble: what the connection believes about the file may be wrong from now on. */
export function isDiskTrouble(error: unknown): boolean {
  return isKind(error, IOERR) || isKind(error, CORRUPT) || isKind(error, CANTOPEN) || isKind(error, NOTADB)
}

/** The file itself is bad: it does not get better by asking again. */
export function isDamaged(error: unknown): boolean {
  return isKind(error, CORRUPT) || isKind(error, NOTADB)
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [
    BUSY,
    'another process kept the file locked. Look for a process that is stopped (a debugger, docker pause, SIGSTOP) or ' +
      'has a transaction open, and let it go on or end it',
  ],
  [READONLY, 'the file cannot be written'],
  [IOERR, 'the disk failed'],
  [CORRUPT, 'the file is damaged; restore a copy'],
  [FULL, 'the disk is full'],
  [CANTOPEN, 'a file beside the database cannot be opened'],
])

export function whyOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const meaning = MEANINGS.get(code & 0xff)
  return meaning === undefined ? text : `${meaning} (SQLite: ${text}, code ${code})`
}
