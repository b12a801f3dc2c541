/** Times as text that people and models read and write. The only place in the core that knows a calendar. */

/** A time as ISO text, in UTC. */
export function timeText(at: number): string {
  // oxlint-disable-next-line no-restricted-globals -- a given time, not the clock
  return new Date(at).toISOString()
}

/** NaN unless the text is a date with an offset. Without an offset, it would mean another time in each time zone. */
export function timeOf(text: string): number {
  // oxlint-disable-next-line no-restricted-globals -- a given time, not the clock
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
}
