/**
 * Slack: a direct message per hold, with buttons, which is changed when the hold changes. Slack posts a press to
 * `/channels/slack`. The signature of Slack says that the press is genuine, and the user in it is mapped to a person; nothing
 * else in the request gives a right.
 */
import { WebAPIPlatformError, WebClient } from '@slack/web-api'
import type { Json } from 'holdpoint'
import { ChannelRefused, titleOf, type Channel, type ChannelInbox } from '@holdpoint/channels'
import { readPress, type Press } from './read-press.ts'
import { slackBlocks } from './slack-blocks.ts'

export interface SlackOptions {
  /** The bot token, `xoxb-…`, with the scopes `chat:write` and `im:write`. */
  readonly token: string
  /** Of the Slack app: it proves that a request is from Slack. */
  readonly signingSecret: string
  /** The workspace, `T…`. With it, presses of people of other workspaces are refused. */
  readonly team?: string
  /** The name of the channel. Default: `slack`. */
  readonly name?: string
  /** Default: `https://slack.com/api/`. */
  readonly apiUrl?: string
  readonly now?: () => number
}

interface Ref {
  readonly channel: string
  readonly ts: string
}

/** Slack shows an error to the person when there is no response within 3 seconds. */
const ANSWER_WITHIN_MS = 2500
/** No retry helps. Anything else, such as a token that is wrong, waits for the operator. */
const FOR_GOOD = new Set(['user_not_found', 'user_disabled', 'channel_not_found', 'cannot_dm_bot', 'is_archived'])

export function slackChannel({
  token,
  signingSecret,
  team,
  name = 'slack',
  apiUrl,
  now = Date.now,
}: SlackOptions): Channel {
  const slack = new WebClient(token, {
    ...(apiUrl !== undefined && { slackApiUrl: apiUrl }),
    // The tasks of the channels are tried again, also after a kill.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 15_000,
  })
  const hosts = ['hooks.slack.com', ...(apiUrl === undefined ? [] : [new URL(apiUrl).host])]
  return {
    name,
    show: async ({ message, address, ref }): Promise<Json> => {
      const text = titleOf(message)
      const blocks = slackBlocks(message)
      try {
        if (ref !== undefined) {
          const { channel, ts } = ref as unknown as Ref
          await slack.chat.update({ channel, ts, text, blocks })
          return ref
        }
        const { channel } = await slack.conversations.open({ users: address })
        const id = channel?.id ?? ''
        const { ts = '' } = await slack.chat.postMessage({ channel: id, text, blocks, unfurl_links: false })
        return { channel: id, ts }
      } catch (error) {
        throw isForGood(error) ? new ChannelRefused((error as Error).message, { cause: error }) : error
      }
    },
    receive: async (request, inbox) => {
      const press = await readPress(request, { signingSecret, team, hosts, now })
      if (press === undefined) return new Response(null, { status: 401 })
      if (press === 'nothing') return new Response(null, { status: 200 })
      const deciding = decide(press, inbox)
      const late = new Promise((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS).unref())
      await Promise.race([deciding, late])
      return new Response(null, { status: 200 })
    },
  }
}

/** Tells the presser when the press decided nothing. What it decided is in the message, which is changed. */
async function decide({ user, decision, respond }: Press, inbox: ChannelInbox): Promise<void> {
  const result = await inbox.decide(user, decision).catch((error: unknown) => ({
    verdict: 'failed' as const,
    message: `Try again: ${error instanceof Error ? error.message : String(error)}`,
  }))
  if (result.verdict === 'accepted' || respond === undefined) return
  const text = `Nothing was decided. ${result.message}`
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text })
  await fetch(respond, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => {})
}

function isForGood(error: unknown): boolean {
  return error instanceof WebAPIPlatformError && FOR_GOOD.has(error.data.error)
}
