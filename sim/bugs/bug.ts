/** A bug that the zoo adds on purpose, to test whether the simulation finds it. */
import type { Mishap, TamperStore } from '@holdpoint/testing'

export interface Bug {
  /** A few words with dashes. */
  readonly name: string
  /** Replacements in source files of the core. The replaced text must occur exactly once. */
  readonly patches?: readonly Patch[]
  /** A broken store that replaces the real one. */
  readonly tamper?: TamperStore
  /** What happens to the store in every seed. Default: the seed decides. */
  readonly mishap?: Mishap
  /** Each node also runs channels. */
  readonly channels?: true
}

export interface Patch {
  /** Relative to `packages`. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

export function patch(file: string, find: string, replace: string): Patch {
  return { file, find, replace }
}
