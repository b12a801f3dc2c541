/** Where a web address really leads: what comes before an `@`, and letters that look like others, are there to deceive. */

export interface WebAddress {
  /** As it is looked up: other scripts in their ASCII form. */
  readonly host: string
  /** Something in front of the host that is not the host. */
  readonly userinfo: boolean
  /** The host is written in letters of another script. */
  readonly foreign: boolean
  /** Programs do not agree on where it leads: a backslash, a line break or a quotation mark is in the way. */
  readonly doubtful: boolean
}

/** Browsers need no slashes after the schemes they know, and take a backslash for one. */
const ADDRESS = /(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]{0,30}:[/\\]{2}|(?:https?|wss?|ftp):[/\\]?(?=[^\s/\\.]*\.))\S+/gi
const BACKSLASH = /^[^:]*:[/\\]*?(?:\\|[^/?#]*\\)/
/** What ends the sentence around it is not part of it. */
const SENTENCE = /[.,;:!?)\]}"'`>]+$/

/** Where the addresses in a text lead, each host once. */
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
    if (short !== long && readOn(short, long)) add(long, true)
  }
  // Browsers leave out line breaks and tabs, so that an address may go on where its line ends.
  const broken = text.trim()
  if (/[\t\r\n]/.test(broken) && !broken.includes(' ') && /^[a-z][a-z0-9+.-]*:/i.test(broken)) {
    const host = webAddressOf(broken)?.host
    if (host !== undefined && !found.has(host)) add(broken, true)
  }
  return [...found.values()]
}

/** Whether what stands behind a quotation mark may be where it leads, and not the text around it. */
function readOn(short: string, long: string): boolean {
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

/** Links that may be followed from a page. Everything else is text. */
export function safeLink(href: string): URL | undefined {
  try {
    const url = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}

/** Whom a link leads to, unless the words it stands under say exactly that. */
export function unsaidTarget({ protocol, host, username, pathname }: URL, words: string): string | undefined {
  const said = words.trim().toLowerCase()
  const target = protocol === 'mailto:' ? decoded(pathname) : host
  if (said === target.toLowerCase()) return undefined
  const known = protocol === 'mailto:' || username !== '' ? undefined : safeLink(said)
  return known?.host === host && known.username === '' ? undefined : target
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
