/**
 * Takes secrets out of whatever leaves the process, by their values: whoever put one into a message, a log line or an
 * event did not mean to. Each value is looked for as it is, as it stands in JSON or in a URL, and in base64.
 */
export type Redact = (text: string) => string

/** Shorter ones would be found by chance. */
const SHORTEST = 6
const PLACEHOLDER = '[redacted]'

/** `secrets` may grow: what becomes known later is taken out from then on. */
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
  const forms = new Set(secrets.filter((each) => each.length >= SHORTEST).flatMap(formsOf))
  // The longest first: one may be part of another.
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
