/**
 * The OpenID provider: authorization code with PKCE. The ID token comes from the token endpoint over TLS, so its claims
 * are checked, and TLS takes the place of its signature (OpenID Connect Core 3.1.3.7).
 */
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  discoveryRequest,
  getValidatedIdTokenClaims,
  None,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  processUserInfoResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  userInfoRequest,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  type customFetch,
  type HttpRequestOptions,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import { messageOf, messageWithCauses } from '@holdpoint/core'
import { isIncomplete, type Claims } from './openid-claims.ts'
import type { OpenIdSettings } from './openid-options.ts'
import { RefusedSignIn } from './refused-sign-in.ts'
import type { Renewal } from './session-tokens.ts'
import type { SignInRecord } from './sign-in-records.ts'

const TIMEOUT_MS = 10_000
/** How long the provider's metadata is used. */
const METADATA_MS = 3_600_000

export interface Authenticated {
  readonly claims: Claims
  readonly idToken: string | undefined
  /** Undefined: this provider cannot be asked about the person again. */
  readonly renewal: Renewal | undefined
}

export interface Renewed {
  /** For the next time. A refresh token may work only once. */
  readonly renewal: Renewal
  /** Undefined: the provider gave a new token, and then did not answer. */
  readonly claims: Claims | undefined
}

/** Errors of the token endpoint that are about the person. Others are about the gateway or the provider. */
const PERSON_ERRORS = new Set([
  'invalid_grant',
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
])

export class OpenIdProvider {
  readonly #settings: OpenIdSettings
  readonly #client: Client
  readonly #now: () => number
  #metadata: { readonly server: Promise<AuthorizationServer>; readonly until: number } | undefined

  constructor(settings: OpenIdSettings, now: () => number) {
    this.#settings = settings
    this.#client = { client_id: settings.clientId }
    this.#now = now
  }

  /** The page of the provider where a person signs in. */
  async authorizationUrl({ state, nonce, verifier }: SignInRecord, redirectUri: string): Promise<URL> {
    const { clientId, scopes } = this.#settings
    const { authorization_endpoint: endpoint } = await this.#server()
    if (endpoint === undefined) throw unreachable('its metadata has no `authorization_endpoint`')
    const url = new URL(endpoint)
    const parameters = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }

  /** Exchanges the code of the callback for the claims of the person. */
  async authenticate(
    callback: URLSearchParams,
    { state, nonce, verifier }: SignInRecord,
    redirectUri: string,
  ): Promise<Authenticated> {
    const server = await this.#server()
    const client = this.#client
    const parameters = checkedCallback(() => validateAuthResponse(server, client, callback, state))
    try {
      const tokens = await processAuthorizationCodeResponse(
        server,
        client,
        await authorizationCodeGrantRequest(
          server,
          client,
          this.#clientAuthentication(server),
          parameters,
          redirectUri,
          verifier,
          this.#http(),
        ),
        { expectedNonce: nonce, requireIdToken: true },
      )
      const claims = getValidatedIdTokenClaims(tokens)
      if (!claims) throw new RefusedSignIn('openid-exchange', 'the provider sent no ID token')
      const more = isIncomplete(claims, this.#settings)
        ? await this.#userInfo(server, tokens.access_token, claims.sub)
        : undefined
      const renewal = await this.#renewalOf(server, tokens, claims.sub, more)
      return { claims: { ...more, ...claims }, idToken: tokens.id_token, renewal }
    } catch (error) {
      throw error instanceof RefusedSignIn ? error : refusalOf(error)
    }
  }

  /**
   * Asks about the person again. Throws `RefusedSignIn`: with `openid-ended` when the provider does not confirm the person
   * any more, with `openid-unreachable` when it gave no answer.
   */
  async renew(sub: string, renewal: Renewal): Promise<Renewed> {
    const server = await this.#server()
    try {
      if (renewal.by === 'userinfo') return { renewal, claims: await this.#userInfo(server, renewal.token, sub) }
      return await this.#renewWithToken(server, renewal.token, sub)
    } catch (error) {
      throw error instanceof RefusedSignIn ? error : unreachable(messageWithCauses(error))
    }
  }

  async #renewWithToken(server: AuthorizationServer, token: string, sub: string): Promise<Renewed> {
    const authentication = this.#clientAuthentication(server)
    const response = await refreshTokenGrantRequest(server, this.#client, authentication, token, this.#http())
    const tokens = await processRefreshTokenResponse(server, this.#client, response).catch((error: unknown) => {
      throw error instanceof ResponseBodyError && PERSON_ERRORS.has(error.error)
        ? ended(`it answered ${error.error}`)
        : error
    })
    const renewal: Renewal = { by: 'refresh-token', token: tokens.refresh_token ?? token }
    const claims = getValidatedIdTokenClaims(tokens)
    if (claims && claims.sub !== sub) throw ended('it answered about another person')
    if (claims && !isIncomplete(claims, this.#settings)) return { renewal, claims }
    try {
      return { renewal, claims: { ...(await this.#userInfo(server, tokens.access_token, sub)), sub, ...claims } }
    } catch (error) {
      if (error instanceof RefusedSignIn) throw error
      return { renewal, claims: undefined }
    }
  }

  /** Without a refresh token, the userinfo endpoint is asked again, if it has the claims that decide. */
  async #renewalOf(
    server: AuthorizationServer,
    { refresh_token: token, access_token: accessToken, expires_in: lifeS }: TokenEndpointResponse,
    sub: string,
    known: Claims | undefined,
  ): Promise<Renewal | undefined> {
    if (token !== undefined) return { by: 'refresh-token', token }
    const claims = known ?? (await this.#userInfo(server, accessToken, sub).catch((): Claims => ({})))
    const { tenant, groupsClaim } = this.#settings
    const needed = typeof tenant === 'object' ? [groupsClaim, tenant.claim] : [groupsClaim]
    if (needed.some((claim) => claims[claim] === undefined)) return undefined
    return { by: 'userinfo', token: accessToken, ...(lifeS !== undefined && { until: this.#now() + lifeS * 1000 }) }
  }

  /** The page of the provider that ends its own session too; undefined when it has none. */
  async signOutUrl(idToken: string | undefined, returnTo: string): Promise<URL | undefined> {
    const { end_session_endpoint: endpoint } = await this.#server()
    if (endpoint === undefined) return undefined
    const url = new URL(endpoint)
    url.searchParams.set('client_id', this.#settings.clientId)
    url.searchParams.set('post_logout_redirect_uri', returnTo)
    if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
    return url
  }

  async #userInfo(server: AuthorizationServer, accessToken: string, sub: string): Promise<Claims> {
    if (server.userinfo_endpoint === undefined) return {}
    const response = await userInfoRequest(server, this.#client, accessToken, this.#http())
    if (response.status === 401 || response.status === 403)
      throw ended(`its userinfo endpoint answered ${response.status}`)
    return processUserInfoResponse(server, this.#client, sub, response)
  }

  #clientAuthentication({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer): ClientAuth {
    const { clientSecret } = this.#settings
    if (clientSecret === undefined) return None()
    return methods?.includes('client_secret_basic') === false && methods.includes('client_secret_post')
      ? ClientSecretPost(clientSecret)
      : ClientSecretBasic(clientSecret)
  }

  /** A failed request is not cached: the next sign-in sends it again. */
  async #server(): Promise<AuthorizationServer> {
    const known = this.#metadata
    if (known && known.until > this.#now()) return known.server
    const server = this.#discover()
    this.#metadata = { server, until: this.#now() + METADATA_MS }
    server.catch(() => (this.#metadata = undefined))
    return server
  }

  async #discover(): Promise<AuthorizationServer> {
    const { issuer } = this.#settings
    try {
      return await processDiscoveryResponse(issuer, await discoveryRequest(issuer, this.#http()))
    } catch (error) {
      throw unreachable(messageWithCauses(error))
    }
  }

  /** Plain http is possible only for a provider on loopback: the issuer was checked at the start. */
  #http(): Omit<HttpRequestOptions<'GET'>, typeof customFetch> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    // oxlint-disable-next-line typescript/no-deprecated -- the library calls it deprecated so that it stands out
    return this.#settings.issuer.protocol === 'http:' ? { signal, [allowInsecureRequests]: true } : { signal }
  }
}

function checkedCallback(check: () => URLSearchParams): URLSearchParams {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AuthorizationResponseError)) throw new RefusedSignIn('openid-state', messageOf(error))
    const { error: code, error_description: description = '' } = error
    throw new RefusedSignIn('openid-denied', `the provider answered ${code.slice(0, 100)} ${description.slice(0, 500)}`)
  }
}

function refusalOf(error: unknown): RefusedSignIn {
  if (error instanceof ResponseBodyError)
    return new RefusedSignIn(
      'openid-exchange',
      `the provider refused the code: ${error.error} ${error.error_description ?? ''}`,
    )
  if (error instanceof WWWAuthenticateChallengeError)
    return new RefusedSignIn('openid-exchange', 'the provider refused the client: check its id and its secret')
  if (!(error instanceof OperationProcessingError)) return unreachable(messageWithCauses(error))
  const { claims } = (error.cause ?? {}) as { readonly claims?: unknown }
  const ofClaims = error.message.includes('"nonce"') ? 'openid-nonce' : 'openid-claims'
  return new RefusedSignIn(claims === undefined ? 'openid-exchange' : ofClaims, error.message)
}

function ended(why: string): RefusedSignIn {
  return new RefusedSignIn('openid-ended', `the provider does not confirm the person any more: ${why}`)
}

function unreachable(why: string): RefusedSignIn {
  return new RefusedSignIn('openid-unreachable', `the provider cannot be used: ${why}`)
}
