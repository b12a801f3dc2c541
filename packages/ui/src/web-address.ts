/** Finds the real host of web addresses. Text before an `@` and look-alike letters can hide it. */

export interface WebAddress {
  /** In ASCII form (`xn--`), as in a DNS query. */
  readonly host: string
  /** There is a user name before the host, which may look like a host. */
  readonly userinfo: boolean
  /** The host has letters of another script. */
  readonly foreign: boolean
  /** Programs disagree about the host, because of a backslash, a line break or a quotation mark. */
  readonly doubtful: boolean
}

/** Browsers need no slashes after known schemes, and read a backslash as a slash. */
const ADDRESS = /(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]{0,30}:[/\\]{2}|(?:https?|wss?|ftp):[/\\]?(?=[^\s/\\.]*\.))\S+/gi
const BACKSLASH = /^[^:]*:[/\\]*?(?:\\|[^/?#]*\\)/
/** Punctuation after an address that belongs to the sentence. */
const SENTENCE = /[.,;:!?)\]}"'`>]+$/

/** The hosts of the addresses in a text, each host once. */
export function webAddressesIn(text: string): readonly WebAddress[] {
  const found = new Map<string, WebAddress>()
  const add = (address: string, doubtful = false): void => {
    const read = webAddressOf(address)
    if (!read) return
    const { host, userinfo, foreign } = read
    const known = found.get(host)
    found.set(host, {
      host,
      foreign,
      userinfo: userinfo || known?.userinfo === true,
      doubtful: doubtful || known?.doubtful === true,
    })
  }
  for (const [whole] of text.matchAll(ADDRESS)) {
    const long = whole.replace(SENTENCE, '')
    const short = (/^[^<>"'`]+/.exec(long)?.[0] ?? '').replace(SENTENCE, '')
    add(short, BACKSLASH.test(short))
    if (short !== long && changesHost(short, long)) add(long, true)
  }
  // Browsers ignore line breaks and tabs in an address, so it may continue on the next line.
  const broken = text.trim()
  if (/[\t\r\n]/.test(broken) && !broken.includes(' ') && /^[a-z][a-z0-9+.-]*:/i.test(broken)) {
    const host = webAddressOf(broken)?.host
    if (host !== undefined && !found.has(host)) add(broken, true)
  }
  return [...found.values()]
}

/** Whether the text after a quotation mark may be part of the address and change its host. */
function changesHost(short: string, long: string): boolean {
  const read = webAddressOf(long)
  return read !== undefined && read.host !== webAddressOf(short)?.host && (read.userinfo || /["'`].*\./.test(read.host))
}

function webAddressOf(text: string): Omit<WebAddress, 'doubtful'> | undefined {
  try {
    const { host, username, password } = new URL(text)
    if (host === '') return undefined
    const foreign = /(?:^|\.)xn--|%|[^\u0020-\u007e]/.test(host)
    return { host, userinfo: username !== '' || password !== '', foreign }
  } catch {
    return undefined
  }
}

/** The URL, if a page may link to it. Other addresses are shown as text. */
export function safeLink(href: string): URL | undefined {
  try {
    const url = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}

/** The host or mail address of a link, unless the link text is exactly that. */
export function hiddenTarget({ protocol, host, username, pathname }: URL, words: string): string | undefined {
  const linkText = words.trim().toLowerCase()
  const target = protocol === 'mailto:' ? decoded(pathname) : host
  if (linkText === target.toLowerCase()) return undefined
  const known = protocol === 'mailto:' || username !== '' ? undefined : safeLink(linkText)
  return known?.host === host && known.username === '' ? undefined : target
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
