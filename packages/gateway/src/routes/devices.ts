/** The browsers in which a person gets notifications of holds. A person registers them; they decide nothing. */
import type { Caller } from '../auth/caller.ts'
import { hasScope } from '../auth/caller.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { ok, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { id, z } from '../schemas.ts'
import { authorOf } from './request-author.ts'
import { withChannels } from './with-channels.ts'

const device = z.object({ id: z.string(), createdAt: z.number() }).openapi('Device')
const key = z.string().min(1).max(200)
const NO_PUSH = 'This gateway sends no notifications to browsers.'
const NOT_YOURS = 'You may change only your own browsers.'

export const deviceRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/people/{id}/channels/devices',
    name: 'listDevices',
    tag: 'channels',
    summary: 'List the browsers that get notifications of a person, and the key to register another one',
    scopes: ['agent', 'resolver', 'reader'],
    params: z.object({ id }),
    responses: {
      200: { description: 'The browsers.', schema: z.object({ publicKey: z.string(), items: z.array(device) }) },
    },
    problems: ['not-found', 'not-allowed'],
    handle: withChannels(async ({ params, caller, services }, { people }) => {
      if (!(await isOwn(caller, services, params.id))) return refuse('not-allowed', NOT_YOURS)
      const found = await people.devices(caller.tenant, params.id)
      return found ? ok(found) : refuse('not-found', NO_PUSH)
    }),
  }),
  route({
    method: 'post',
    path: '/api/people/{id}/channels/devices',
    name: 'addDevice',
    tag: 'channels',
    summary: 'Register this browser for notifications: a subscription of the Push API, made with the public key',
    scopes: ['agent', 'resolver'],
    params: z.object({ id }),
    body: z
      .object({ endpoint: z.string().min(1).max(2000), keys: z.object({ p256dh: key, auth: key }) })
      .openapi('AddDevice'),
    responses: { 201: { description: 'The browser.', schema: device } },
    problems: ['not-found', 'not-allowed', 'config-invalid'],
    handle: withChannels(async ({ params, body, caller, services }, { people }) => {
      if (!(await isOwn(caller, services, params.id))) return refuse('not-allowed', NOT_YOURS)
      // An admin could give themselves the right with another request.
      const resolver = hasScope(caller, ['admin'])
      const added = await people.addDevice(caller.tenant, params.id, body, { resolver })
      return added ? ok(added, 201) : refuse('not-found', NO_PUSH)
    }),
  }),
  route({
    method: 'delete',
    path: '/api/people/{id}/channels/devices/{device}',
    name: 'removeDevice',
    tag: 'channels',
    summary: 'Remove a browser: it gets no notification any more',
    scopes: ['agent', 'resolver'],
    params: z.object({ id, device: id }),
    responses: { 204: { description: 'The browser was removed.' } },
    problems: ['not-found', 'not-allowed'],
    handle: withChannels(async ({ params, caller, services }, { people }) => {
      if (!(await isOwn(caller, services, params.id))) return refuse('not-allowed', NOT_YOURS)
      return (await people.removeDevice(caller.tenant, params.id, params.device))
        ? { status: 204 }
        : refuse('not-found', 'There is no such browser.')
    }),
  }),
]

/** Also for an admin: what a person reads goes only to browsers that the person chose. */
async function isOwn(
  caller: Caller,
  services: Pick<GatewayServices, 'people' | 'delegations' | 'authorize'>,
  person: string,
): Promise<boolean> {
  return !('answer' in (await authorOf({ caller, services }, person)))
}
