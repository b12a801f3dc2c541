import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Writes a file, or the entries of a folder, to the disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
