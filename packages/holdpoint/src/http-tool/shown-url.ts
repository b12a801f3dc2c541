/**
 * The url of an HTTP tool as approvers see it. Authors put credentials into urls (`?api_key=…`, the path of a webhook), and more
 * people read holds than the tool's code. So each part that may be a credential is replaced by a short hash, which still shows
 * approvers that it changed.
 */
import { createHash } from 'node:crypto'

const CREDENTIAL = /key|token|secret|pass|pwd|auth|sig|cred|code|session/i
/** Long, with letters and digits, so probably not a word. */
const RANDOM = /^(?=[^{}]*\d)(?=[^{}]*[A-Za-z])[^{}]{16,}$/

export function shownUrl(template: string): string {
  const [, origin = '', path = '', query = ''] = /^(\w+:\/\/[^/?#]*)([^?]*)(.*)$/.exec(template) ?? []
  const segments = path.split('/').map((segment) => (RANDOM.test(segment) ? hidden(segment) : segment))
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    const [name, value] = at < 0 ? ['', pair] : [pair.slice(0, at), pair.slice(at + 1)]
    const isSecret = RANDOM.test(value) || (CREDENTIAL.test(name) && !/^\{[^{}]+\}$/.test(value))
    return isSecret ? `${pair.slice(0, at + 1)}${hidden(value)}` : pair
  })
  return `${origin}${segments.join('/')}${pairs.join('&')}`
}

/** So short that it does not reveal the secret, and long enough to distinguish two. */
export function hidden(value: string): string {
  return `…${createHash('sha256').update(value).digest('hex').slice(0, 6)}`
}
