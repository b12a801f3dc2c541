/**
 * The SQLite that is part of Node. An import of `node:sqlite` fails on an older Node before any code of ours runs, so it is
 * looked up at run time; `check-node.ts` says which Node is needed. This file imports nothing else: the writer thread uses
 * it, and runs without the packages.
 */
import type * as sqlite from 'node:sqlite'

// Node 20 has no such function before 20.16.
const lookUp = process.getBuiltinModule as typeof process.getBuiltinModule | undefined
const found = lookUp?.('node:sqlite')

export const hasSqlite: boolean = found !== undefined
export const DatabaseSync = found?.DatabaseSync as typeof sqlite.DatabaseSync
export const backupDatabase = found?.backup as typeof sqlite.backup
export type DatabaseSync = sqlite.DatabaseSync
