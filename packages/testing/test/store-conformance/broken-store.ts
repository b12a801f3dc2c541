/**
 * Stores that are wrong, each in one way that an author could get wrong: they keep `storeConformance` honest. Most are
 * a plain store with a line of its source changed; what needs several handles is put on top of a right one.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Store } from '@holdpoint/core'
import { manualClock, type OpenPlace, type StorePlace } from '../../src/index.ts'
import { plainStore } from './plain-store.ts'

/** What the plain store says, and what it says here instead. */
export type Change = readonly [from: string, to: string]

export interface Handle {
  readonly store: Store
  /** What happens to it when it dies; otherwise nothing. */
  readonly kill?: () => void
}

export interface Broken {
  /** How it is wrong. */
  readonly store: string
  readonly changes?: readonly Change[]
  /** Makes a handle wrong that is on top of a right store. */
  readonly handle?: (inner: Store) => Handle
  /** What it throws itself. Otherwise it is the case that finds something wrong. */
  readonly throws?: string
  /** The cases that say so, or some of them. */
  readonly caughtBy: readonly string[]
}

const source = new URL('./plain-store.ts', import.meta.url)

type Fault = Pick<Broken, 'changes' | 'handle'>

export async function placesOf({ changes = [], handle = (store) => ({ store }) }: Fault): Promise<OpenPlace> {
  const make = changes.length > 0 ? await changed(changes) : plainStore
  return async (): Promise<StorePlace> => {
    const clock = manualClock()
    const inner = make(clock.now)
    const handles = new Map<Store, Handle>()
    return {
      open: async () => {
        const opened = handle({ ...inner })
        handles.set(opened.store, opened)
        return opened.store
      },
      clock,
      kill: (store) => handles.get(store)?.kill?.(),
      end: async () => {},
    }
  }
}

/** It imports types alone, so its text is all there is to it. */
async function changed(changes: readonly Change[]): Promise<typeof plainStore> {
  let text = readFileSync(source, 'utf8')
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`The plain store does not say this: ${from}`)
    text = text.replaceAll(from, () => to)
  }
  const code = Buffer.from(stripTypeScriptTypes(text)).toString('base64')
  const module = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as {
    readonly plainStore: typeof plainStore
  }
  return module.plainStore
}
