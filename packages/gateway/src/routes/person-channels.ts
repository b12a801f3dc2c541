/** How people are told of holds: an admin says where a person is, and the person says when. */
import type { AgentPreferences, ChannelPerson, ChannelPreferences } from '@holdpoint/channels'
import { hasScope } from '../auth/caller.ts'
import { ok, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { id, z } from '../schemas.ts'
import { authorOf } from './request-author.ts'
import { withChannels } from './with-channels.ts'

const quiet = z
  .strictObject({ from: z.string(), to: z.string(), timeZone: z.string() })
  .openapi({ description: 'No new message from `from` ("22:00") to `to` ("07:00") in this time zone.' })
const digest = z
  .strictObject({ at: z.array(z.string()).min(1).max(24), timeZone: z.string() })
  .openapi({ description: 'Tell of new holds together, at these times of the day (`["09:00"]`) in this time zone.' })
const none = z.literal('none')
const preferences = {
  off: z.array(id).max(50).optional().openapi({ description: 'Channels that the person has turned off.' }),
  quiet: quiet.optional(),
  digest: digest.optional(),
  agents: z.array(id).max(200).optional().openapi({ description: 'Tell only of holds of these agents.' }),
  byAgent: z
    .record(
      id,
      z.strictObject({
        off: z.array(id).max(50).optional(),
        quiet: z.union([quiet, none]).optional(),
        digest: z.union([digest, none]).optional(),
      }),
    )
    .refine((agents) => Object.keys(agents).length <= 200, 'Settings for at most 200 agents.')
    .optional()
    .openapi({
      description: 'Other settings for holds of an agent, by its name. What is left out is as for all agents.',
    }),
}
const addresses = z
  .record(id, z.string().min(1).max(400))
  .openapi({ description: 'Where the person is, by the name of a channel: `{ "email": "ada@acme.test" }`.' })
const person = z
  .object({ person: z.string(), addresses, resolver: z.boolean().optional(), ...preferences })
  .openapi('PersonChannels')
const NO_CHANNELS = 'This person has no channels.'

export const personChannelRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/people/{id}/channels',
    name: 'getPersonChannels',
    tag: 'channels',
    summary: 'Get the channels of a person: your own, or with the scope admin those of others',
    scopes: ['agent', 'resolver', 'reader'],
    params: z.object({ id }),
    responses: { 200: { description: 'The channels.', schema: person } },
    problems: ['not-found', 'not-allowed'],
    handle: withChannels(async ({ params, caller, services }, channels) => {
      if (!hasScope(caller, ['admin']) && 'answer' in (await authorOf({ caller, services }, params.id)))
        return refuse('not-allowed', 'You may read only your own channels.')
      const row = await channels.people.find(caller.tenant, params.id)
      return row ? ok(row) : refuse('not-found', NO_CHANNELS)
    }),
  }),
  route({
    method: 'put',
    path: '/api/people/{id}/channels',
    name: 'putPersonChannels',
    tag: 'channels',
    summary: 'Set where a person is told of holds. Who acts from such an address acts as this person',
    scopes: ['admin'],
    params: z.object({ id }),
    body: z
      .strictObject({
        addresses,
        resolver: z.boolean().optional().openapi({
          description: 'The person may decide holds that are for no one in particular, as the scope `resolver` allows.',
        }),
        ...preferences,
      })
      .openapi('PutPersonChannels'),
    responses: { 200: { description: 'The channels.', schema: person } },
    problems: ['not-found', 'config-invalid'],
    handle: withChannels(async ({ params, body, caller }, channels) => {
      const { addresses: at, resolver } = body
      const row: ChannelPerson = { person: params.id, addresses: at, ...(resolver && { resolver }), ...chosen(body) }
      return ok(await channels.people.put(caller.tenant, row))
    }),
  }),
  route({
    method: 'put',
    path: '/api/people/{id}/channels/preferences',
    name: 'putChannelPreferences',
    tag: 'channels',
    summary: 'Set when you are told of holds: channels that are off, quiet hours, digests, and agents',
    scopes: ['agent', 'resolver'],
    params: z.object({ id }),
    body: z.strictObject(preferences).openapi('ChannelPreferences'),
    responses: { 200: { description: 'The channels.', schema: person } },
    problems: ['not-found', 'not-allowed', 'config-invalid'],
    handle: withChannels(async ({ params, body, caller, services }, channels) => {
      if (!hasScope(caller, ['admin']) && 'answer' in (await authorOf({ caller, services }, params.id)))
        return refuse('not-allowed', 'You may change only your own channels.')
      if (!(await channels.people.find(caller.tenant, params.id))) return refuse('not-found', NO_CHANNELS)
      return ok(await channels.people.prefer(caller.tenant, params.id, chosen(body)))
    }),
  }),
  route({
    method: 'delete',
    path: '/api/people/{id}/channels',
    name: 'removePersonChannels',
    tag: 'channels',
    summary: 'Remove the channels of a person: from then on, their addresses decide nothing',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: { 204: { description: 'The channels were removed.' } },
    problems: ['not-found'],
    handle: withChannels(async ({ params, caller }, channels) => {
      if (!(await channels.people.find(caller.tenant, params.id))) return refuse('not-found', NO_CHANNELS)
      await channels.people.remove(caller.tenant, params.id)
      return { status: 204 }
    }),
  }),
]

function chosen({ off, quiet: hours, digest: times, agents, byAgent }: Given): ChannelPreferences {
  const own = Object.entries(byAgent ?? {}).map(([name, { off: without, quiet: when, digest: together }]) => {
    return [
      name,
      { ...(without && { off: without }), ...(when && { quiet: when }), ...(together && { digest: together }) },
    ]
  })
  return {
    ...(off && { off }),
    ...(hours && { quiet: hours }),
    ...(times && { digest: times }),
    ...(agents && { agents }),
    ...(own.length > 0 && { byAgent: Object.fromEntries(own) as NonNullable<ChannelPreferences['byAgent']> }),
  }
}

/** What the schema reads: a setting may be missing or undefined. */
type Given = Loose<Omit<ChannelPreferences, 'byAgent'>> & {
  readonly byAgent?: Readonly<Record<string, Loose<AgentPreferences>>> | undefined
}
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined }
