/** How people are told of holds, the deliveries, and webhooks. */
import {
  paths,
  type ChannelDeliveryRow,
  type ChannelPreferencesBody,
  type CreatedWebhook,
  type DeviceRow,
  type DevicesRow,
  type ListOf,
  type PersonChannelsRow,
  type WebhookDeliveryRow,
  type WebhookRow,
} from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export interface Channels {
  /** Where and when a person is told: the caller, or for an admin any person. */
  find(person: string, options?: RequestOptions): Promise<PersonChannelsRow>
  /** Where a person is told. Only an admin may: who acts from an address acts as the person. */
  put(row: PersonChannelsRow, options?: RequestOptions): Promise<PersonChannelsRow>
  /** When a person is told. Replaces all preferences. */
  prefer(person: string, preferences: ChannelPreferencesBody, options?: RequestOptions): Promise<PersonChannelsRow>
  remove(person: string, options?: RequestOptions): Promise<void>
  devices(person: string, options?: RequestOptions): Promise<DevicesRow>
  /** `device`: what `PushSubscription.toJSON()` of the browser gives. */
  addDevice(person: string, device: object, options?: RequestOptions): Promise<DeviceRow>
  removeDevice(person: string, id: string, options?: RequestOptions): Promise<void>
  /** Messages to people that were given up first, then all others. For an admin. */
  deliveries(query?: PageQuery, options?: RequestOptions): Promise<ListOf<ChannelDeliveryRow>>
  /** Tries a delivery now. */
  replay(delivery: string, options?: RequestOptions): Promise<void>
}

export interface Webhooks {
  list(options?: RequestOptions): Promise<ListOf<WebhookRow>>
  /** The response has the secret. It cannot be read later. */
  create(
    webhook: { readonly url: string; readonly events?: readonly string[] },
    options?: RequestOptions,
  ): Promise<CreatedWebhook>
  remove(id: string, options?: RequestOptions): Promise<void>
  /** A new secret. For a day, requests are signed with the old one too. */
  rotate(id: string, options?: RequestOptions): Promise<{ readonly id: string; readonly secret?: string }>
  deliveries(id: string, query?: PageQuery, options?: RequestOptions): Promise<ListOf<WebhookDeliveryRow>>
  /** Sends a delivery again, with the same `webhook-id`. */
  replay(id: string, delivery: string, options?: RequestOptions): Promise<void>
}

export function channelsOf(http: Http): Channels {
  return {
    find: (person, options) => http.get(paths.personChannels(person), options),
    put: async ({ person, ...body }, options) =>
      http.ask({ ...options, method: 'PUT', path: paths.personChannels(person), body }),
    prefer: async (person, body, options) =>
      http.ask({ ...options, method: 'PUT', path: paths.channelPreferences(person), body }),
    remove: async (person, options) => http.ask({ ...options, method: 'DELETE', path: paths.personChannels(person) }),
    devices: (person, options) => http.get(paths.devices(person), options),
    addDevice: (person, body, options) => http.post(paths.devices(person), body, options),
    removeDevice: async (person, id, options) =>
      http.ask({ ...options, method: 'DELETE', path: paths.device(person, id) }),
    deliveries: (query, options) => http.get(paths.channelDeliveries(), options, query),
    replay: async (delivery, options) => void (await http.post(paths.channelReplay(), { delivery }, options)),
  }
}

export function webhooksOf(http: Http): Webhooks {
  return {
    list: (options) => http.get(paths.webhooks(), options),
    create: (body, options) => http.post(paths.webhooks(), body, options),
    remove: async (id, options) => http.ask({ ...options, method: 'DELETE', path: paths.webhook(id) }),
    rotate: async (id, options) => http.ask({ ...options, method: 'POST', path: paths.webhookSecret(id) }),
    deliveries: (id, query, options) => http.get(paths.webhookDeliveries(id), options, query),
    replay: async (id, delivery, options) => void (await http.post(paths.webhookReplay(id), { delivery }, options)),
  }
}
