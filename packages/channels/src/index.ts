export { Channels, type ChannelsOptions } from './channels.ts'
export {
  ChannelRefused,
  type Channel,
  type ChannelDecision,
  type ChannelDevice,
  type ChannelDevices,
  type ChannelInbox,
  type DigestMessage,
  type InboxHold,
  type HoldMessage,
  type ShownText,
  type Showing,
  type ShowingDigest,
} from './channel.ts'
export type { ChannelEvent, EventType, HoldEventData, TurnEventData } from './channel-event.ts'
export { EVENT_TYPES } from './channel-event.ts'
export type { ChannelPeople, ChannelPerson } from './channel-people.ts'
export type { ChannelDelivery, Deliveries } from './deliveries.ts'
export type { DigestTimes } from './digest-times.ts'
export type { AgentPreferences, ChannelPreferences } from './preferences.ts'
export { type HoldEnd } from './hold-end.ts'
export { fieldOfRefusal, formFields, formValue, type FormField, type FormResult } from './form-fields.ts'
export { digestTitle, endWords, titleOf } from './hold-message.ts'
export type { LinkOptions } from './links.ts'
export type { QuietHours } from './quiet-hours.ts'
export { cutText, visible } from './shown-input.ts'
export type { TriggerHook, Triggers } from './triggers.ts'
export type { WebhookDelivery, WebhookEndpoint, Webhooks } from './webhooks.ts'
