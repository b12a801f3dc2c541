/**
 * The hosts of a URL. Like libpq, a URL may list several: `postgres://app@db1,db2:5433/app?target_session_attrs=read-write`.
 * A new connection goes to the host that worked last. When that host fails, or is not the primary, the next one is tried.
 */
import { HoldpointError } from '@holdpoint/core'

export interface Hosts {
  /** One URL for each host. */
  readonly urls: readonly string[]
  /** The URL for the next connection. */
  readonly current: string
  /** The host of this URL did not answer, or cannot be written to. */
  failed(url: string): void
  /** The host of this URL is the primary. */
  worked(url: string): void
}

export function hostsOf(url: string): Hosts {
  const urls = urlsOf(url)
  let index = 0
  return {
    urls,
    get current() {
      return urls[index]!
    },
    // Several connections to a host may fail together, and only the first of them changes the host.
    failed: (failed) => {
      if (urls[index] === failed) index = (index + 1) % urls.length
    },
    worked: (worked) => {
      index = Math.max(0, urls.indexOf(worked))
    },
  }
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?(.*))?$/s

function urlsOf(url: string): readonly string[] {
  const [, before, hosts = '', path = '', query = ''] = PARTS.exec(url) ?? []
  // Anything else is a form that only the driver knows.
  if (before === undefined) return [url]
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs')
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary') {
    throw new HoldpointError(
      'config-invalid',
      `target_session_attrs is ${JSON.stringify(wanted)}: a store writes, so use read-write or leave it out.`,
    )
  }
  parameters.delete('target_session_attrs')
  const rest = parameters.size > 0 ? `${path}?${parameters.toString()}` : path
  return hosts.split(',').map((host) => `${before}${host}${rest}`)
}
