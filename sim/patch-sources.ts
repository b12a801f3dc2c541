/**
 * Changes sources of our packages as they are loaded. A patch whose text is not there, or is there twice, stops everything:
 * a bug that is not put in cannot be caught, and one that is put in elsewhere is another bug.
 */
import { registerHooks } from 'node:module'
import type { Patch } from './bugs/bug.ts'

/** A patch names its file from here: `core/src/turn/next.ts`. */
const PACKAGES = '/packages/'

/** Returns a check that every patch was applied. */
export function patchSources(patches: readonly Patch[]): { readonly check: () => void } {
  const left = new Set(patches)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const file = url.split(PACKAGES)[1]
      const mine = patches.filter((patch) => patch.file === file)
      if (mine.length === 0) return loaded
      if (loaded.source === undefined || loaded.source === null) throw new Error(`${file} came without its text.`)
      let source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
      for (const patch of mine) {
        source = replaced(source, patch)
        left.delete(patch)
      }
      return { ...loaded, source }
    },
  })
  return {
    check: () => {
      for (const { file } of left) throw new Error(`${file} was never loaded, so the bug was not put in.`)
    },
  }
}

function replaced(source: string, { file, find, replace }: Patch): string {
  const parts = source.split(find)
  if (parts.length !== 2)
    throw new Error(`${file} has this text ${parts.length - 1} times, not once; mend the bug:\n${find}`)
  return parts.join(replace)
}
