/** Sign-in and sign-out of people by OpenID Connect. These are pages for browsers: they answer with redirects. */
import type { FailedAuthenticationLimit } from '../auth/failed-authentication-limit.ts'
import type { SignIn, SignInStep } from '../auth/sign-in.ts'
import { clientOf, type TrustedProxies } from '../auth/trusted-proxies.ts'
import { otherOrigin } from '../http/host-and-origin.ts'
import { ok, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

interface SignInParts {
  readonly signIn: SignIn | undefined
  readonly failedAuthentications: FailedAuthenticationLimit
  readonly proxies: TrustedProxies
}

/** Without OpenID Connect only the first route exists. Its answer says so. */
export function signInRoutes({ signIn, failedAuthentications, proxies }: SignInParts): readonly Route[] {
  const ways = route({
    method: 'get',
    path: '/api/console/sign-in',
    name: 'signInWays',
    tag: 'console',
    summary: 'How people sign in here',
    scopes: [],
    query: z.strictObject({}),
    responses: {},
    handle: async () => ok(signIn ? { openId: { name: signIn.name } } : {}),
  })
  if (!signIn) return [ways]
  return [
    ways,
    route({
      method: 'get',
      path: '/auth/sign-in',
      name: 'signIn',
      tag: 'console',
      summary: 'Redirect to the OpenID provider',
      scopes: [],
      query: z.strictObject({ return: z.string().optional() }),
      responses: {},
      handle: async ({ query, request }) => redirect(await signIn.begin(request, query.return)),
    }),
    route({
      method: 'get',
      path: '/auth/callback',
      name: 'signInCallback',
      tag: 'console',
      summary: 'Sign in with the code of the OpenID provider',
      scopes: [],
      // The provider may add parameters.
      query: z.looseObject({}),
      responses: {},
      handle: async ({ request, peer }) => {
        const address = clientOf(peer?.address, request.headers, proxies)
        let step: SignInStep = { failure: 'failed', returnTo: '/' }
        // Each attempt is a request to the provider: attempts that fail count like keys that are invalid.
        const attempt = `Callback ${new URL(request.url).search}`
        await failedAuthentications.authenticate(address, attempt, async () => {
          step = await signIn.finish(request)
          return 'to' in step ? step : undefined
        })
        return redirect(step)
      },
    }),
    route({
      method: 'post',
      path: '/auth/sign-out',
      name: 'signOut',
      tag: 'console',
      summary: 'End the session of this browser',
      scopes: [],
      body: z.strictObject({}).optional(),
      responses: {},
      handle: async ({ request }): Promise<RouteAnswer> => {
        if (!signIn.isSameOrigin(request)) return otherOrigin
        const { to, cookies } = await signIn.signOut(request)
        return { response: withCookies(Response.json({ ...(to !== undefined && { to }) }), cookies) }
      },
    }),
  ]
}

function redirect(step: SignInStep): RouteAnswer {
  // The browser does not send the part after `#`, so no server logs it.
  const location = 'to' in step ? step.to : `${step.returnTo}#sign-in=${step.failure}`
  const response = new Response(null, { status: 303, headers: { location } })
  return { response: withCookies(response, 'to' in step ? step.cookies : []) }
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}
