/**
 * The text and the keyboard of a Telegram message. The data of a button has 64 bytes at most, which is too short for the names
 * of a hold, so the address of the button that opens the console has them. Telegram sends the bot's own message back with each
 * press.
 */
import { isObject, parseJson } from '@holdpoint/core'
import {
  cutText,
  digestTitle,
  endWords,
  titleOf,
  type ChannelDecision,
  type DigestMessage,
  type HoldMessage,
} from '@holdpoint/channels'

export interface TelegramText {
  readonly text: string
  readonly entities: { readonly type: 'pre'; readonly offset: number; readonly length: number }[]
  readonly reply_markup: { readonly inline_keyboard: Button[][] }
}

type Button =
  | { readonly text: string; readonly url: string }
  | { readonly text: string; readonly callback_data: string }

/** Telegram refuses longer messages. */
const MOST_CHARACTERS = 4096

export function telegramText(message: HoldMessage): TelegramText {
  const { reason, askedBy, input, end, why, may, missing, expiresAt, reminded, url } = message
  const before = [
    titleOf(message),
    ...(reason === undefined ? [] : [`Why: ${cutText(reason, 500).text}`]),
    ...(askedBy.length === 0 ? [] : [`Asked by: ${cutText(askedBy.join(', '), 300).text}`]),
    ...(missing > 1 ? [`Approvals missing: ${missing}`] : []),
    ...(end || expiresAt === 0 ? [] : [`Until: ${new Date(expiresAt).toISOString()}`]),
    '',
  ].join('\n')
  const after = [
    ...(input.cut === 0 ? [] : [`… ${input.cut} more characters are not shown here: open the whole.`]),
    ...(reminded && !end ? ['This is a reminder.'] : []),
    ...(end ? [`It was ${endWords(end)}.`] : why === undefined ? [] : [why]),
  ]
  const text = cutText([`${before}${input.text}`, ...after].join('\n'), MOST_CHARACTERS).text
  const { tenant, conversationId, callId, hold } = message
  const names = encodeURIComponent(JSON.stringify({ tenant, conversationId, callId, hold }))
  return {
    text,
    entities: input.text === '' ? [] : [{ type: 'pre', offset: before.length, length: input.text.length }],
    reply_markup: {
      inline_keyboard: [
        [
          ...(may.approve ? [{ text: 'Approve', callback_data: 'approve' }] : []),
          ...(may.reject ? [{ text: 'Reject', callback_data: 'reject' }] : []),
          { text: 'Open', url: `${url}#${names}` },
        ],
      ],
    },
  }
}

/** Without buttons that decide: a list does not show enough to decide on. */
export function telegramDigest(digest: DigestMessage): TelegramText {
  const { holds, more, url } = digest
  const lines = holds.map(
    (hold) => `• ${cutText(titleOf(hold), 150).text}${hold.end ? '' : ` (${hold.conversationId})`}`,
  )
  const text = [digestTitle(digest), '', ...lines, ...(more === 0 ? [] : [`… ${more} more`])].join('\n')
  return {
    text: cutText(text, MOST_CHARACTERS).text,
    entities: [],
    reply_markup: { inline_keyboard: [[{ text: 'Open', url }]] },
  }
}

/** What a press of a button of this message decides. Undefined for a message that Telegram does not send back any more. */
export function decisionOf(message: unknown, data: unknown): ChannelDecision | undefined {
  if (data !== 'approve' && data !== 'reject') return undefined
  const markup = isObject(message) ? message['reply_markup'] : undefined
  const rows: readonly unknown[] =
    isObject(markup) && Array.isArray(markup['inline_keyboard']) ? markup['inline_keyboard'] : []
  const urls = rows
    .flat()
    .flatMap((button) => (isObject(button) && typeof button['url'] === 'string' ? [button['url']] : []))
  const [url = ''] = urls
  const names = URL.canParse(url) ? parseJson(decodeURIComponent(new URL(url).hash.slice(1))) : undefined
  if (!names?.ok || !isObject(names.value)) return undefined
  const { tenant, conversationId, callId, hold } = names.value
  if (typeof tenant !== 'string' || typeof conversationId !== 'string' || typeof callId !== 'string') return undefined
  if (typeof hold !== 'number') return undefined
  return { tenant, conversationId, callId, hold, resolution: { kind: data } }
}
