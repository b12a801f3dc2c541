/** Reads and writes the cookies of the sign-in. */

/** The value of the first cookie with this name. */
export function cookieOf(request: Request, name: string): string | undefined {
  for (const each of (request.headers.get('cookie') ?? '').split(';')) {
    const at = each.indexOf('=')
    if (at > 0 && each.slice(0, at).trim() === name) return each.slice(at + 1).trim()
  }
  return undefined
}

/**
 * A cookie of one origin. `__Host-` keeps other subdomains from setting it; browsers accept the prefix only over https.
 * Cookies are shared by all ports of a host, so on http the name contains the port: gateways on one machine must not
 * replace each other's sessions.
 */
export function cookieName(name: string, origin: string): string {
  const { protocol, port } = new URL(origin)
  return protocol === 'https:' ? `__Host-${name}` : `${name}-${port || '80'}`
}

/** `Lax`: the provider's redirect to the callback is a navigation from another site, and needs the cookie. */
export function setCookie(name: string, value: string, maxAgeMs: number): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly; SameSite=Lax${secure}`
}

export function removeCookie(name: string): string {
  return setCookie(name, '', 0)
}
