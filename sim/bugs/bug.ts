/** A protocol bug that is put in on purpose, to see whether the simulation notices. */
import type { TamperStore } from '@holdpoint/testing'

export interface Bug {
  /** In a few words with dashes. */
  readonly name: string
  /** Replacements in source files of the core. The replaced text must occur exactly once. */
  readonly patches?: readonly Patch[]
  /** A broken store that replaces the real one. */
  readonly tamper?: TamperStore
}

export interface Patch {
  /** Relative to packages/core/src. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

export function patch(file: string, find: string, replace: string): Patch {
  return { file, find, replace }
}
