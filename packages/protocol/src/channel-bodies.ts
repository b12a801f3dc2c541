/** The bodies about channels and webhooks. */

export interface QuietHoursBody {
  /** `22:00` */
  readonly from: string
  readonly to: string
  /** `Europe/Berlin` */
  readonly timeZone: string
}

export interface DigestTimesBody {
  /** `["09:00"]` */
  readonly at: readonly string[]
  readonly timeZone: string
}

/** When a person is told of holds. The person sets it. */
export interface ChannelPreferencesBody {
  /** Channels that are off. */
  readonly off?: readonly string[]
  readonly quiet?: QuietHoursBody
  /** Tell of new holds together, at these times. */
  readonly digest?: DigestTimesBody
  /** Tell only of holds of these agents. */
  readonly agents?: readonly string[]
  /** Other settings for holds of an agent, by its name. */
  readonly byAgent?: Readonly<
    Record<
      string,
      {
        readonly off?: readonly string[]
        readonly quiet?: QuietHoursBody | 'none'
        readonly digest?: DigestTimesBody | 'none'
      }
    >
  >
}

export interface PersonChannelsRow extends ChannelPreferencesBody {
  readonly person: string
  /** Where the person is, by the name of a channel. */
  readonly addresses: Readonly<Record<string, string>>
  /** The person may decide holds that name no one. */
  readonly resolver?: boolean
}

export interface DeviceRow {
  readonly id: string
  readonly createdAt: number
}

/** The browsers that get notifications of a person, and the key to register another one. */
export interface DevicesRow {
  readonly publicKey: string
  readonly items: readonly DeviceRow[]
}

/** A message to a person, or a call of a handler, that was sent, waits, is tried again, or was given up. */
export interface ChannelDeliveryRow {
  readonly id: string
  readonly channel: string
  readonly person?: string
  readonly conversationId?: string
  readonly callId?: string
  /** `shown`: the message is there, and is updated when its hold changes. */
  readonly state: 'waiting' | 'retrying' | 'shown' | 'failed'
  /** Failed attempts since the last success. */
  readonly attempts: number
  /** When it is tried or looked at again. */
  readonly nextAt?: number
  /** The last error. */
  readonly error?: string
}

export interface WebhookRow {
  readonly id: string
  readonly url: string
  /** Without it, every event. */
  readonly events?: readonly string[]
  readonly createdAt: number
}

/** `secret` is returned only once. */
export interface CreatedWebhook extends WebhookRow {
  readonly secret?: string
}

export interface WebhookDeliveryRow {
  readonly id: string
  readonly endpoint: string
  readonly type: string
  readonly at: number
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: readonly { readonly at: number; readonly status?: number; readonly error?: string }[]
  /** When a pending one is sent again. */
  readonly nextAt?: number
}
