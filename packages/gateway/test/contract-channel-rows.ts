/** The rows of the contract for channels, webhooks and triggers. */
import { at, type Row } from './contract-row.ts'

const DEVICE = { endpoint: 'https://push.test/1', keys: { p256dh: 'key', auth: 'auth' } }

export const channelRows: Readonly<Record<string, Row>> = {
  getPersonChannels: {
    valid: ({ person }) => ({ path: at('people', person, 'channels') }),
    status: 200,
    invalid: () => ({ path: at('people', 'x'.repeat(300), 'channels') }),
    other: 404,
  },
  putPersonChannels: {
    valid: () => ({ path: at('people', 'ann', 'channels'), body: { addresses: { email: 'ann@acme.test' } } }),
    status: 200,
    invalid: () => ({ path: at('people', 'ann', 'channels'), body: { addresses: 'ann@acme.test' } }),
    other: 'own',
    another: () => ({ path: at('people', 'ann', 'channels'), body: { addresses: {} } }),
  },
  putChannelPreferences: {
    valid: ({ person }) => ({
      path: at('people', person, 'channels', 'preferences'),
      body: { off: ['email'], quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' } },
    }),
    status: 200,
    invalid: ({ person }) => ({
      path: at('people', person, 'channels', 'preferences'),
      body: { quiet: { from: '22:00', to: '07:00', timeZone: 'Mars' } },
    }),
    other: 404,
    another: ({ person }) => ({ path: at('people', person, 'channels', 'preferences'), body: {} }),
  },
  removePersonChannels: {
    valid: ({ person }) => ({ path: at('people', person, 'channels') }),
    status: 204,
    invalid: ({ person }) => ({ path: `${at('people', person, 'channels')}?force=1` }),
    other: 404,
    another: () => ({ path: at('people', 'another', 'channels') }),
  },
  listDevices: {
    valid: ({ person }) => ({ path: at('people', person, 'channels', 'devices') }),
    status: 200,
    invalid: () => ({ path: at('people', 'x'.repeat(300), 'channels', 'devices') }),
    other: 'own',
  },
  addDevice: {
    valid: ({ person }) => ({ path: at('people', person, 'channels', 'devices'), body: DEVICE }),
    status: 201,
    invalid: ({ person }) => ({
      path: at('people', person, 'channels', 'devices'),
      body: { endpoint: 'https://push.test' },
    }),
    other: 'own',
    another: () => ({ path: at('people', 'ann', 'channels', 'devices'), body: DEVICE }),
  },
  removeDevice: {
    valid: ({ person, device }) => ({ path: at('people', person, 'channels', 'devices', device) }),
    status: 204,
    invalid: ({ person, device }) => ({ path: `${at('people', person, 'channels', 'devices', device)}?force=1` }),
    other: 404,
    another: ({ person }) => ({ path: at('people', person, 'channels', 'devices', 'another') }),
  },
  listChannelDeliveries: {
    valid: () => ({ path: '/api/channels/deliveries' }),
    status: 200,
    invalid: () => ({ path: '/api/channels/deliveries?limit=0' }),
    other: 'own',
  },
  replayChannelDelivery: {
    valid: ({ delivery }) => ({ path: '/api/channels/replay', body: { delivery } }),
    status: 202,
    invalid: () => ({ path: '/api/channels/replay', body: {} }),
    other: 404,
    another: () => ({ path: '/api/channels/replay', body: { delivery: 'another' } }),
  },
  createWebhook: {
    valid: () => ({ path: '/api/webhooks', body: { url: 'https://receiver.test/hook', events: ['hold.opened'] } }),
    status: 201,
    invalid: () => ({ path: '/api/webhooks', body: { url: 'nothing' } }),
    other: 'own',
    another: () => ({ path: '/api/webhooks', body: { url: 'https://receiver.test/other' } }),
  },
  listWebhooks: {
    valid: () => ({ path: '/api/webhooks' }),
    status: 200,
    invalid: () => ({ path: '/api/webhooks?x=1' }),
    other: 'own',
  },
  removeWebhook: {
    valid: ({ webhook }) => ({ path: at('webhooks', webhook.id) }),
    status: 204,
    invalid: ({ webhook }) => ({ path: `${at('webhooks', webhook.id)}?force=1` }),
    other: 404,
    another: () => ({ path: at('webhooks', 'another') }),
  },
  rotateWebhookSecret: {
    valid: ({ webhook }) => ({ path: at('webhooks', webhook.id, 'secret') }),
    status: 200,
    invalid: ({ webhook }) => ({ path: at('webhooks', webhook.id, 'secret'), body: {} }),
    other: 404,
    another: () => ({ path: at('webhooks', 'another', 'secret') }),
  },
  listWebhookDeliveries: {
    valid: ({ webhook }) => ({ path: at('webhooks', webhook.id, 'deliveries') }),
    status: 200,
    invalid: ({ webhook }) => ({ path: `${at('webhooks', webhook.id, 'deliveries')}?limit=0` }),
    other: 404,
  },
  replayWebhookDelivery: {
    valid: ({ webhook }) => ({ path: at('webhooks', webhook.id, 'replay'), body: { delivery: webhook.delivery } }),
    status: 202,
    invalid: ({ webhook }) => ({ path: at('webhooks', webhook.id, 'replay'), body: {} }),
    other: 404,
    another: ({ webhook }) => ({ path: at('webhooks', webhook.id, 'replay'), body: { delivery: 'another' } }),
  },
  createTrigger: {
    valid: () => ({ path: '/api/triggers', body: { agent: 'desk', name: 'order', scheme: 'github' } }),
    status: 201,
    invalid: () => ({ path: '/api/triggers', body: { agent: 'desk', name: 'order', scheme: 'none' } }),
    other: 'own',
    another: () => ({ path: '/api/triggers', body: { agent: 'desk', name: 'push' } }),
  },
  listTriggers: {
    valid: () => ({ path: '/api/triggers' }),
    status: 200,
    invalid: () => ({ path: '/api/triggers?x=1' }),
    other: 'own',
  },
  removeTrigger: {
    valid: ({ trigger }) => ({ path: at('triggers', trigger) }),
    status: 204,
    invalid: ({ trigger }) => ({ path: `${at('triggers', trigger)}?force=1` }),
    other: 404,
    another: () => ({ path: at('triggers', 'another') }),
  },
}
