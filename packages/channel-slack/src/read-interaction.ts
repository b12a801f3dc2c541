/** Reads what a user did from a request of Slack, after its signature was checked. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isObject, parseJson } from '@holdpoint/core'
import type { ChannelDecision } from '@holdpoint/channels'
import { holdOf, type HoldInSlack } from './hold-in-slack.ts'

export type Interaction = {
  /** The id of the user. */
  readonly user: string
} & (
  | {
      readonly did: 'press'
      readonly decision: ChannelDecision
      /** Where a reply to the user goes. */
      readonly respond: string | undefined
    }
  /** Asked for a form. `trigger` opens it, within 3 seconds. */
  | { readonly did: 'ask'; readonly of: HoldInSlack; readonly trigger: string; readonly respond: string | undefined }
  /** Sent a form. `texts` are by the position of the field. */
  | { readonly did: 'send'; readonly of: HoldInSlack; readonly texts: readonly (string | undefined)[] }
)

export interface InteractionOptions {
  readonly signingSecret: string
  readonly team: string | undefined
  /** The hosts that a reply may go to. */
  readonly hosts: readonly string[]
  readonly now: () => number
}

const OLDEST_S = 300
const MOST_BYTES = 200_000
const MOST_FIELDS = 100

/** Undefined when the request is not from Slack, or too old. `nothing`: nothing that decides, such as a press of a link. */
export async function readInteraction(
  request: Request,
  options: InteractionOptions,
): Promise<Interaction | 'nothing' | undefined> {
  const body = await request.text()
  if (body.length > MOST_BYTES || !isFromSlack(request.headers, body, options)) return undefined
  const payload = parseJson(new URLSearchParams(body).get('payload') ?? 'null')
  if (!payload.ok || !isObject(payload.value)) return 'nothing'
  const { type, user, team } = payload.value
  if (options.team !== undefined && (!isObject(team) || team['id'] !== options.team)) return undefined
  if (!isObject(user) || typeof user['id'] !== 'string') return 'nothing'
  if (type === 'block_actions') return pressed(user['id'], payload.value, options)
  return type === 'view_submission' ? sent(user['id'], payload.value['view']) : 'nothing'
}

function pressed(
  user: string,
  { actions, trigger_id: trigger, response_url: url }: Readonly<Record<string, unknown>>,
  { hosts }: InteractionOptions,
): Interaction | 'nothing' {
  const [action]: readonly unknown[] = Array.isArray(actions) ? actions : []
  if (!isObject(action)) return 'nothing'
  const respond = typeof url === 'string' && hosts.includes(hostOf(url)) ? url : undefined
  const of = holdOf(action['value'])
  const { action_id: id } = action
  if (!of) return 'nothing'
  if (of.asks !== undefined) return typeof trigger === 'string' ? { user, did: 'ask', of, trigger, respond } : 'nothing'
  if (typeof id !== 'string') return 'nothing'
  const kind = id.startsWith('approve') ? 'approve' : id.startsWith('reject') ? 'reject' : undefined
  if (kind === undefined) return 'nothing'
  return { user, did: 'press', decision: { ...of, resolution: { kind } }, respond }
}

function sent(user: string, view: unknown): Interaction | 'nothing' {
  const of = isObject(view) ? holdOf(view['private_metadata']) : undefined
  if (!isObject(view) || of?.asks === undefined) return 'nothing'
  const values = isObject(view['state']) && isObject(view['state']['values']) ? view['state']['values'] : {}
  const texts: (string | undefined)[] = []
  for (const [block, actions] of Object.entries(values)) {
    const index = /^f(\d{1,2})$/.exec(block)?.[1]
    const [given]: readonly unknown[] = isObject(actions) ? Object.values(actions) : []
    if (index === undefined || Number(index) >= MOST_FIELDS || !isObject(given)) continue
    const { value, selected_option: option } = given
    const text = isObject(option) ? option['value'] : value
    texts[Number(index)] = typeof text === 'string' ? text : undefined
  }
  return { user, did: 'send', of, texts }
}

function isFromSlack(headers: Headers, body: string, { signingSecret, now }: InteractionOptions): boolean {
  const at = headers.get('x-slack-request-timestamp') ?? ''
  if (!/^\d{1,12}$/.test(at) || Math.abs(now() / 1000 - Number(at)) > OLDEST_S) return false
  const wanted = Buffer.from(`v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`)
  const given = Buffer.from(headers.get('x-slack-signature') ?? '')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}
