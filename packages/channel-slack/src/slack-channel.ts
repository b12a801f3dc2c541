/**
 * Slack: a direct message per hold, with buttons, which is changed when the hold changes; its thread has the verdict. Slack posts
 * a press, and a form that was sent, to `/channels/slack`. The signature of Slack says that it is genuine, and the user in it is
 * mapped to a person; nothing else in the request gives a right.
 */
import { WebAPIPlatformError, WebClient } from '@slack/web-api'
import { messageOf } from '@holdpoint/core'
import type { Json } from 'holdpoint'
import { ChannelRefused, digestTitle, endWords, titleOf, type Channel, type ChannelInbox } from '@holdpoint/channels'
import { readInteraction, type Interaction } from './read-interaction.ts'
import { slackBlocks, slackDigest } from './slack-blocks.ts'
import { fitsSlack, readSlackForm, slackErrors, slackFields, slackForm, slackSentence } from './slack-form.ts'

export interface SlackOptions {
  /** The bot token, `xoxb-…`, with the scopes `chat:write`, `im:write` and `im:history`. */
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
  const post = async (show: Shown, address: string, ref: Json | undefined): Promise<Ref> => {
    if (ref !== undefined) {
      const { channel, ts } = ref as unknown as Ref
      await slack.chat.update({ channel, ts, ...show })
      return { channel, ts }
    }
    const { channel } = await slack.conversations.open({ users: address })
    const id = channel?.id ?? ''
    const { ts = '' } = await slack.chat.postMessage({ channel: id, ...show, unfurl_links: false })
    return { channel: id, ts }
  }
  return {
    name,
    show: async ({ message, address, ref }): Promise<Json> => {
      try {
        const sent = await post({ text: titleOf(message), blocks: slackBlocks(message) }, address, ref)
        // An update of a message notifies no one in Slack, and a reply does.
        const text = message.end && `It was ${endWords(message.end)}.`
        const { channel, ts: thread } = sent
        if (text !== undefined && !(await hasVerdict(slack, channel, thread)))
          await slack.chat.postMessage({ channel, thread_ts: thread, ...plainText(text) })
        return { ...sent }
      } catch (error) {
        throw isForGood(error) ? new ChannelRefused((error as Error).message, { cause: error }) : error
      }
    },
    showDigest: async ({ digest, address, ref }): Promise<Json> => {
      try {
        return { ...(await post({ text: digestTitle(digest), blocks: slackDigest(digest) }, address, ref)) }
      } catch (error) {
        throw isForGood(error) ? new ChannelRefused((error as Error).message, { cause: error }) : error
      }
    },
    receive: async (request, inbox) => {
      const done = await readInteraction(request, { signingSecret, team, hosts, now })
      if (done === undefined) return new Response(null, { status: 401 })
      if (done === 'nothing') return new Response(null, { status: 200 })
      const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ANSWER_WITHIN_MS).unref())
      if (done.did === 'send') {
        const answer = await Promise.race([decideByForm(done, inbox), late])
        const slow = { response_action: 'update', view: slackSentence(SLOW) }
        return answer === undefined
          ? new Response(null, { status: 200 })
          : Response.json(answer === 'late' ? slow : answer)
      }
      await Promise.race([done.did === 'press' ? decide(done, inbox) : openForm(done, inbox, slack), late])
      return new Response(null, { status: 200 })
    },
  }
}

interface Shown {
  readonly text: string
  readonly blocks: ReturnType<typeof slackBlocks>
}

const SLOW = 'This takes long. The message says what was decided.'
const OVER = 'Nothing was decided. The hold is over, or you may not decide it.'
const LARGE = 'This is too large for a form of Slack. Open the console.'

const IS_OVER = 'The hold is over.'

/**
 * A process that died after it posted the verdict left no mark, so the thread itself is asked. An app without the scope
 * `im:history` cannot ask: then the verdict may be there twice, which is better than not at all.
 */
async function hasVerdict(slack: WebClient, channel: string, ts: string): Promise<boolean> {
  try {
    const { messages = [] } = await slack.conversations.replies({ channel, ts, limit: 200 })
    return messages.some(({ text, bot_id: bot }) => text === IS_OVER && bot !== undefined)
  } catch (error) {
    if (error instanceof WebAPIPlatformError && error.data.error === 'missing_scope') return false
    throw error
  }
}

/** Text of models is in a block that Slack does not read as markup. */
function plainText(text: string): Shown {
  return {
    text: IS_OVER,
    blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }],
  }
}

/** Slack takes the trigger of a press for 3 seconds, so this is not tried again. */
async function openForm(
  { user, of, trigger, respond }: Extract<Interaction, { did: 'ask' }>,
  inbox: ChannelInbox,
  slack: WebClient,
): Promise<void> {
  try {
    const { asks, ...hold } = of
    const found = asks && (await inbox.hold(user, hold))
    if (!asks || !found) return await reply(respond, OVER)
    if (!fitsSlack(slackFields(of, found))) return await reply(respond, LARGE)
    await slack.views.open({ trigger_id: trigger, view: slackForm({ ...of, asks }, found) })
  } catch (error) {
    await reply(respond, `The form could not be opened. Press again: ${messageOf(error)}`)
  }
}

/** The answer to Slack: errors of fields, a sentence, or nothing, which closes the form. */
async function decideByForm(
  { user, of, texts }: Extract<Interaction, { did: 'send' }>,
  inbox: ChannelInbox,
): Promise<object | undefined> {
  const { asks: _asks, ...hold } = of
  const say = (text: string): object => ({ response_action: 'update', view: slackSentence(text) })
  try {
    const found = await inbox.hold(user, hold)
    if (!found) return say(OVER)
    const fields = slackFields(of, found)
    const read = readSlackForm(of, fields, texts)
    if ('errors' in read) return { response_action: 'errors', errors: read.errors }
    const { verdict, message } = await inbox.decide(user, { ...hold, resolution: read.resolution })
    if (verdict === 'accepted' || verdict === 'duplicate') return undefined
    if (verdict === 'invalid') return { response_action: 'errors', errors: slackErrors(fields, message) }
    return say(`Nothing was decided. ${message}`)
  } catch (error) {
    return say(`It is not known whether this was decided: the message will say so. ${messageOf(error)}`)
  }
}

/** Tells the presser when the press decided nothing. What it decided is in the message, which is changed. */
async function decide(
  { user, decision, respond }: Extract<Interaction, { did: 'press' }>,
  inbox: ChannelInbox,
): Promise<void> {
  const result = await inbox.decide(user, decision).catch((error: unknown) => ({
    verdict: 'failed' as const,
    message: `Try again: ${messageOf(error)}`,
  }))
  if (result.verdict !== 'accepted') await reply(respond, `Nothing was decided. ${result.message}`)
}

/** Only the presser sees it. */
async function reply(respond: string | undefined, text: string): Promise<void> {
  if (respond === undefined) return
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text })
  await fetch(respond, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => {})
}

function isForGood(error: unknown): boolean {
  return error instanceof WebAPIPlatformError && FOR_GOOD.has(error.data.error)
}
