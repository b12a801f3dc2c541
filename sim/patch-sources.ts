/**
 * Changes sources of our packages while Node loads them. If the text of a patch is missing or occurs twice, the run fails: the
 * bug would not be added, or would be added in the wrong place.
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
      if (loaded.source === undefined || loaded.source === null)
        throw new Error(`Node loaded ${file} without its source text.`)
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
      for (const { file } of left) throw new Error(`${file} was never loaded, so the bug was not added.`)
    },
  }
}

function replaced(source: string, { file, find, replace }: Patch): string {
  const parts = source.split(find)
  if (parts.length !== 2)
    throw new Error(`${file} has this text ${parts.length - 1} times, not once; update the bug:\n${find}`)
  return parts.join(replace)
}
