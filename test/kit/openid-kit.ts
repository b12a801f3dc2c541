/** A real OpenID provider on loopback, and a client that follows redirects and keeps cookies as a browser does. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** The claims of a person, besides `sub`, by the name that they type into the sign-in page. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export const CLIENT = { clientId: 'holdpoint', clientSecret: 'the secret of the client at the provider' }

export interface OpenIdProvider {
  readonly issuer: string
  /** Registers gateways by their URL. Until then the provider answers nothing. */
  register(...gateways: readonly string[]): void
  /** Answers 503 until `register` or `resume`. */
  suspend(): void
  /** Answers again, with the tokens and sessions that it had. */
  resume(): void
  close(): Promise<void>
}

export interface ProviderOptions {
  /** A refresh token works once. When one is used twice, the provider ends what the person granted. */
  readonly refreshTokens?: boolean
  /** The claims are in the ID token, and the userinfo endpoint has only `sub`. */
  readonly onlyIdToken?: boolean
}

/** `localhost`, while gateways are on `127.0.0.1`: another site for a browser. */
export async function openIdProvider(people: People, options: ProviderOptions = {}): Promise<OpenIdProvider> {
  let provider: Provider | undefined
  let suspended: Provider | undefined
  const server = createServer((request, response) => {
    if (provider) void provider.callback()(request, response)
    else response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    register: (...gateways) => (provider = quietly(() => providerFor(issuer, people, gateways, options))),
    suspend: () => ([provider, suspended] = [undefined, provider]),
    resume: () => (provider = suspended),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The provider warns that it keeps everything in memory, which a test wants. */
function quietly<T>(make: () => T): T {
  const { warn } = console
  console.warn = () => {}
  try {
    return make()
  } finally {
    console.warn = warn
  }
}

function providerFor(
  issuer: string,
  people: People,
  gateways: readonly string[],
  { refreshTokens = false, onlyIdToken = false }: ProviderOptions,
): Provider {
  const claims = [...new Set(Object.values(people).flatMap((each) => Object.keys(each)))]
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: gateways.map((url) => `${url}/auth/callback`),
        post_logout_redirect_uris: gateways.map((url) => `${url}/`),
        ...(refreshTokens && { grant_types: ['authorization_code', 'refresh_token'] }),
      },
    ],
    cookies: { keys: ['a key for the cookies of the provider'] },
    claims: { openid: ['sub'], profile: claims },
    // A person who was removed has no account any more.
    findAccount: (_, sub) =>
      people[sub] && {
        accountId: sub,
        claims: async (use) => (use === 'userinfo' && onlyIdToken ? { sub } : { sub, ...people[sub] }),
      },
    conformIdTokenClaims: !onlyIdToken,
    issueRefreshToken: () => refreshTokens,
    rotateRefreshToken: true,
    // Nothing to agree to, as at a provider of one's own company.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        ...(oidc.session?.accountId !== undefined && { accountId: oidc.session.accountId }),
        ...(oidc.client && { clientId: oidc.client.clientId }),
      })
      grant.addOIDCScope('openid profile')
      await grant.save()
      return grant
    },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: 60,
      Interaction: 60,
      RefreshToken: 600,
      Session: 60,
    },
  })
}

export interface Visited {
  readonly url: string
  readonly status: number
  readonly text: string
}

/** A browser without scripts. */
export class Browser {
  /** By host, then by name. */
  readonly #cookies = new Map<string, Map<string, string>>()

  /** Opens a page and follows redirects. `stopAt`: a redirect to such a URL is returned, not followed. */
  async open(url: string, stopAt?: (url: string) => boolean, init: RequestInit = {}): Promise<Visited> {
    const response = await this.fetch(url, init)
    const location = response.headers.get('location')
    if (location === null) return { url, status: response.status, text: await response.text() }
    await response.body?.cancel()
    const next = new URL(location, url).href
    if (stopAt?.(next)) return { url: next, status: response.status, text: '' }
    return this.open(next, stopAt)
  }

  /** Fills in and sends the form of the provider's page. */
  async submit(
    { url, text }: Visited,
    fields: Readonly<Record<string, string>>,
    stopAt?: (url: string) => boolean,
  ): Promise<Visited> {
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? ''
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    return this.open(new URL(action, url).href, stopAt, { method: 'POST', body })
  }

  /** One request with the cookies of its host. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const cookies = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, cookies)
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map((each) => each.join('=')).join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0(?:;|$)/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  cookiesOf(url: string): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#cookies.get(new URL(url).host) ?? [])
  }

  setCookie(url: string, name: string, value: string): void {
    const { host } = new URL(url)
    this.#cookies.set(host, (this.#cookies.get(host) ?? new Map<string, string>()).set(name, value))
  }
}
