/**
 * Replaces secret values in everything that leaves the process. A secret can end up in a message, a log line or an
 * event by mistake. Each value is searched for as plain text, JSON-escaped, URL-encoded and in base64.
 */
export type Redact = (text: string) => string

/** Shorter values would match by coincidence. */
const MIN_LENGTH = 6
const PLACEHOLDER = '[redacted]'

/** `secrets` may grow. Values that are added later are redacted from then on. */
export function redactor(secrets: ReadonlySet<string>): Redact {
  let known = -1
  let redact: Redact = (text) => text
  return (text) => {
    if (secrets.size !== known) {
      known = secrets.size
      redact = redactorOf([...secrets])
    }
    return redact(text)
  }
}

function redactorOf(secrets: readonly string[]): Redact {
  const forms = new Set(secrets.filter((each) => each.length >= MIN_LENGTH).flatMap(formsOf))
  // Longest first: one value may contain another.
  const sorted = [...forms].toSorted((a, b) => b.length - a.length)
  if (sorted.length === 0) return (text) => text
  const pattern = new RegExp(
    sorted
      .map((each) => each.replaceAll(/[^A-Za-z0-9]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`))
      .join('|'),
    'gu',
  )
  return (text) => text.replace(pattern, PLACEHOLDER)
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}
