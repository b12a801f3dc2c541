/**
 * The delay that a vendor requests: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. An implausible delay is
 * ignored, and the caller uses its own backoff.
 */

/** A longer delay is a wrong clock or a wrong unit. */
const LONGEST = 7 * 24 * 3600 * 1000

export function retryAfterMs(headers: unknown, now: number = Date.now()): number | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  let ms: number | undefined
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue
    if (name.toLowerCase() === 'retry-after-ms') return sensible(number(value)) ?? ms
    if (name.toLowerCase() === 'retry-after') ms = sensible(seconds(value) ?? untilDate(value, now))
  }
  return ms
}

function seconds(value: string): number | undefined {
  const given = number(value)
  return given === undefined ? undefined : given * 1000
}

function untilDate(value: string, now: number): number | undefined {
  // `Date.parse` accepts almost anything, including "-5". An HTTP date starts with the name of a day.
  if (!/^[a-z]{3,9},? /i.test(value)) return undefined
  return Math.max(0, Date.parse(value) - now)
}

function number(value: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

function sensible(ms: number | undefined): number | undefined {
  return ms !== undefined && ms <= LONGEST ? Math.ceil(ms) : undefined
}
