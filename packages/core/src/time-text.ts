/** Times as text that people and models read and write. The only place in the core that knows a calendar. */

/** In UTC. */
export function timeText(at: number): string {
  // oxlint-disable-next-line no-restricted-globals -- not the clock: a time that is known
  return new Date(at).toISOString()
}

/** Not a number for anything else than a date with its offset: without one it would mean something else everywhere. */
export function timeOf(text: string): number {
  // oxlint-disable-next-line no-restricted-globals -- not the clock: a time that is known
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
}
