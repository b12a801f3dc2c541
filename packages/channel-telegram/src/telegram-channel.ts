/**
 * Telegram: a message per hold with an inline keyboard, which is edited when the hold changes. Telegram posts a press to
 * `/channels/telegram` with the secret that was given to `setWebhook`. The user in it is mapped to a person; nothing else in
 * the request gives a right.
 */
import { timingSafeEqual } from 'node:crypto'
import { Api, GrammyError } from 'grammy'
import { isObject, parseJson } from '@holdpoint/core'
import type { Json } from 'holdpoint'
import { ChannelRefused, type Channel, type ChannelInbox } from '@holdpoint/channels'
import { decisionOf, telegramDigest, telegramText, type TelegramText } from './telegram-text.ts'

export interface TelegramOptions {
  /** The token of the bot. */
  readonly token: string
  /** The `secret_token` of `setWebhook`: it proves that a request is from Telegram. */
  readonly secret: string
  /** The name of the channel. Default: `telegram`. */
  readonly name?: string
  /** Default: `https://api.telegram.org`. */
  readonly apiRoot?: string
}

interface Ref {
  readonly chat: number
  readonly message: number
}

const MOST_BYTES = 200_000
/** The person has blocked the bot, or there is no such chat: no retry helps. */
const FOR_GOOD = /chat not found|bot was blocked|user is deactivated|message to edit not found/i

export function telegramChannel({ token, secret, name = 'telegram', apiRoot }: TelegramOptions): Channel {
  const api = new Api(token, { timeoutSeconds: 20, ...(apiRoot !== undefined && { apiRoot }) })
  const show = async ({ text, ...how }: TelegramText, address: string, ref: Json | undefined): Promise<Json> => {
    const options = { ...how, link_preview_options: { is_disabled: true } }
    try {
      if (ref === undefined) {
        const sent = await api.sendMessage(address, text, options)
        return { chat: sent.chat.id, message: sent.message_id }
      }
      const { chat, message: id } = ref as unknown as Ref
      await api.editMessageText(chat, id, text, options)
      return ref
    } catch (error) {
      // The message was edited, and the answer of Telegram was lost.
      if (error instanceof GrammyError && error.description.includes('message is not modified') && ref !== undefined)
        return ref
      const forGood = error instanceof GrammyError && FOR_GOOD.test(error.description)
      throw forGood ? new ChannelRefused(error.description, { cause: error }) : error
    }
  }
  return {
    name,
    show: ({ message, address, ref }) => show(telegramText(message), address, ref),
    showDigest: ({ digest, address, ref }) => show(telegramDigest(digest), address, ref),
    receive: async (request, inbox) => {
      if (!isEqual(request.headers.get('x-telegram-bot-api-secret-token') ?? '', secret))
        return new Response(null, { status: 401 })
      const body = await request.text()
      const update = body.length > MOST_BYTES ? undefined : parseJson(body)
      const query = update?.ok && isObject(update.value) ? update.value['callback_query'] : undefined
      if (isObject(query)) await press(query, inbox, api)
      // Telegram repeats an update that gets another status.
      return new Response(null, { status: 200 })
    },
  }
}

async function press(query: Readonly<Record<string, unknown>>, inbox: ChannelInbox, api: Api): Promise<void> {
  const { id, from, data, message } = query
  const user = isObject(from) ? from['id'] : undefined
  if (typeof id !== 'string' || typeof user !== 'number') return
  const decision = decisionOf(message, data)
  const result = decision
    ? await inbox.decide(String(user), decision)
    : { verdict: 'unknown' as const, message: 'Open the console to decide.' }
  const text = result.verdict === 'accepted' ? 'Recorded.' : `Nothing was decided. ${result.message}`
  // Telegram shows at most 200 characters. The decision stands, whatever happens to this answer.
  await api
    .answerCallbackQuery(id, { text: text.slice(0, 200), show_alert: result.verdict !== 'accepted' })
    .catch(() => {})
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
