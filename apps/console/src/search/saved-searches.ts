/** The searches that a person saved, in this browser. */
import { useSyncExternalStore } from 'react'

export interface SavedSearch {
  readonly name: string
  readonly address: string
}

const KEY = 'holdpoint.searches'
const MOST = 30
const listeners = new Set<() => void>()
/** A snapshot must stay the same object while nothing changed. */
let read: { readonly text: string; readonly by: string; readonly searches: readonly SavedSearch[] } | undefined

/** `by`: the person who uses the console. Another person in the same browser has other searches. */
export function useSavedSearches(by: string): readonly SavedSearch[] {
  return useSyncExternalStore(subscribe, () => savedOf(by))
}

export function saveSearch(by: string, search: SavedSearch): void {
  write(by, [search, ...savedOf(by).filter(({ name }) => name !== search.name)].slice(0, MOST))
}

export function removeSearch(by: string, name: string): void {
  write(
    by,
    savedOf(by).filter((each) => each.name !== name),
  )
}

function savedOf(by: string): readonly SavedSearch[] {
  const text = localStorage.getItem(keyOf(by)) ?? '[]'
  if (read?.text === text && read.by === by) return read.searches
  read = { text, by, searches: parsed(text) }
  return read.searches
}

function parsed(text: string): readonly SavedSearch[] {
  try {
    const kept: unknown = JSON.parse(text)
    return Array.isArray(kept) ? kept.filter(isSearch).slice(0, MOST) : []
  } catch {
    return []
  }
}

function isSearch(value: unknown): value is SavedSearch {
  if (typeof value !== 'object' || value === null) return false
  const { name, address } = value as Partial<Record<string, unknown>>
  return typeof name === 'string' && typeof address === 'string' && address.startsWith('/search')
}

function write(by: string, searches: readonly SavedSearch[]): void {
  localStorage.setItem(keyOf(by), JSON.stringify(searches))
  for (const listener of listeners) listener()
}

function keyOf(by: string): string {
  return `${KEY}:${by}`
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}
