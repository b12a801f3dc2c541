/** Where a web address really leads: what comes before an `@`, and letters that look like others, are there to deceive. */

export interface WebAddress {
  /** As it is looked up: other scripts in their ASCII form. */
  readonly host: string
  /** Something in front of the host that is not the host. */
  readonly userinfo: boolean
  /** The host is written in letters of another script. */
  readonly foreign: boolean
}

/** Undefined for what is no address by itself. */
export function webAddressOf(text: string): WebAddress | undefined {
  const trimmed = text.trim()
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) || /\s/.test(trimmed)) return undefined
  try {
    const { host, username, password } = new URL(trimmed)
    if (host === '') return undefined
    return { host, userinfo: username !== '' || password !== '', foreign: /(?:^|\.)xn--/.test(host) }
  } catch {
    return undefined
  }
}

/** Links that may be followed from a page. Everything else is text. */
export function safeLink(href: string): URL | undefined {
  try {
    const url = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}
