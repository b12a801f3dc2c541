/** Reads a press of a button from a request of Slack, after its signature was checked. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isObject, parseJson } from '@holdpoint/core'
import type { ChannelDecision } from '@holdpoint/channels'
import { isDecision } from './slack-blocks.ts'

export interface Press {
  /** The id of the user who pressed. */
  readonly user: string
  readonly decision: ChannelDecision
  /** Where a reply to the presser goes. */
  readonly respond: string | undefined
}

export interface PressOptions {
  readonly signingSecret: string
  readonly team: string | undefined
  /** The hosts that a reply may go to. */
  readonly hosts: readonly string[]
  readonly now: () => number
}

const OLDEST_S = 300
const MOST_BYTES = 200_000

/** Undefined when the request is not from Slack, or too old. `nothing`: no press that decides, such as that of a link. */
export async function readPress(request: Request, options: PressOptions): Promise<Press | 'nothing' | undefined> {
  const body = await request.text()
  if (body.length > MOST_BYTES || !isFromSlack(request.headers, body, options)) return undefined
  const payload = parseJson(new URLSearchParams(body).get('payload') ?? 'null')
  if (!payload.ok || !isObject(payload.value)) return 'nothing'
  const { type, user, team, actions, response_url: respond } = payload.value as Readonly<Record<string, unknown>>
  if (options.team !== undefined && (!isObject(team) || team['id'] !== options.team)) return undefined
  const [action]: readonly unknown[] = Array.isArray(actions) ? actions : []
  if (type !== 'block_actions' || !isObject(user) || typeof user['id'] !== 'string' || !isObject(action))
    return 'nothing'
  const value = parseJson(typeof action['value'] === 'string' ? action['value'] : 'null')
  if (!value.ok || !isDecision(value.value)) return 'nothing'
  return {
    user: user['id'],
    decision: value.value,
    respond: typeof respond === 'string' && options.hosts.includes(hostOf(respond)) ? respond : undefined,
  }
}

function isFromSlack(headers: Headers, body: string, { signingSecret, now }: PressOptions): boolean {
  const at = headers.get('x-slack-request-timestamp') ?? ''
  if (!/^\d{1,12}$/.test(at) || Math.abs(now() / 1000 - Number(at)) > OLDEST_S) return false
  const wanted = Buffer.from(`v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`)
  const given = Buffer.from(headers.get('x-slack-signature') ?? '')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}
