/** Where a web address really leads: what comes before an `@`, and letters that look like others, are there to deceive. */

export interface WebAddress {
  /** As it is looked up: other scripts in their ASCII form. */
  readonly host: string
  /** Something in front of the host that is not the host. */
  readonly userinfo: boolean
  /** The host is written in letters of another script. */
  readonly foreign: boolean
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}:[/\\]{2}[^\s<>"'`]+/gi

/** Where the addresses in a text lead, each host once. */
export function webAddressesIn(text: string): readonly WebAddress[] {
  const found = new Map<string, WebAddress>()
  for (const [address] of text.matchAll(ADDRESS)) {
    // What ends the sentence around it is not part of it.
    const read = webAddressOf(address.replace(/[.,;:!?)\]}]+$/, ''))
    const known = read && found.get(read.host)
    if (read && (!known || read.userinfo)) found.set(read.host, read)
  }
  return [...found.values()]
}

function webAddressOf(text: string): WebAddress | undefined {
  try {
    const { host, username, password } = new URL(text)
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
