/**
 * The url of an HTTP tool as an approver is shown it. Authors put credentials into urls (`?api_key=…`, the path of a
 * webhook), and holds are read by more people than the tool's code. So what may be a credential is replaced by a short
 * hash, by which the approver still sees that it was changed.
 */
import { createHash } from 'node:crypto'

const CREDENTIAL = /key|token|secret|pass|pwd|auth|sig|cred|code|session/i
/** Long, and letters mixed with digits: no word that a person would write. */
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

/** Not enough of the hash to find a secret by, and enough to tell two apart. */
export function hidden(value: string): string {
  return `…${createHash('sha256').update(value).digest('hex').slice(0, 6)}`
}
