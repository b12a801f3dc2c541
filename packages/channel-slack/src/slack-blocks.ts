/** The blocks of a Slack message. The text of models is in blocks that Slack does not read as markup. */
import type { KnownBlock, RichTextBlock } from '@slack/web-api'
import { isObject } from '@holdpoint/core'
import { cutText, endWords, titleOf, type ChannelDecision, type HoldMessage } from '@holdpoint/channels'

/** Slack refuses longer texts. */
const MOST_TITLE = 150

export function slackBlocks(message: HoldMessage): KnownBlock[] {
  const { reason, askedBy, input, url, end, why, may, missing, expiresAt, reminded } = message
  const cut = input.cut === 0 ? '' : `… ${input.cut} more characters are not shown here: open the whole.`
  const facts = [
    ...(reason === undefined ? [] : [`Why: ${reason}`]),
    ...(askedBy.length === 0 ? [] : [`Asked by: ${askedBy.join(', ')}`]),
    ...(missing > 1 ? [`Approvals missing: ${missing}`] : []),
    ...(end || expiresAt === 0 ? [] : [`Until: ${new Date(expiresAt).toISOString()}`]),
  ]
  const notes = [
    ...(cut === '' ? [] : [cut]),
    ...(reminded && !end ? ['This is a reminder.'] : []),
    ...(end ? [`It was ${endWords(end)}.`] : why === undefined ? [] : [why]),
  ]
  return [
    { type: 'header', text: { type: 'plain_text', text: cutText(titleOf(message), MOST_TITLE).text, emoji: false } },
    ...(facts.length === 0 ? [] : [plain(facts.join('\n'))]),
    ...(input.text === '' ? [] : [code(input.text)]),
    ...(notes.length === 0 ? [] : [plain(notes.join('\n'))]),
    {
      type: 'actions',
      elements: [
        ...(may.approve ? [button(message, 'approve', 'Approve', 'primary')] : []),
        ...(may.reject ? [button(message, 'reject', 'Reject', 'danger')] : []),
        { type: 'button', action_id: 'open', text: { type: 'plain_text', text: 'Open' }, url },
      ],
    },
  ]
}

type Actions = Extract<KnownBlock, { type: 'actions' }>['elements'][number]

function button(message: HoldMessage, kind: 'approve' | 'reject', text: string, style: 'primary' | 'danger'): Actions {
  const { tenant, conversationId, callId, hold } = message
  const decision: ChannelDecision = { tenant, conversationId, callId, hold, resolution: { kind } }
  return {
    type: 'button',
    action_id: kind,
    style,
    text: { type: 'plain_text', text },
    value: JSON.stringify(decision),
    confirm: {
      title: { type: 'plain_text', text: cutText(`${text} ${message.tool}?`, 100).text },
      text: { type: 'plain_text', text: 'This is recorded with your name.' },
      confirm: { type: 'plain_text', text },
      deny: { type: 'plain_text', text: 'Back' },
    },
  }
}

export function isDecision(value: unknown): value is ChannelDecision {
  if (!isObject(value) || !isObject(value['resolution'])) return false
  const { tenant, conversationId, callId, hold, resolution } = value
  const kind = isObject(resolution) ? resolution['kind'] : undefined
  return (
    typeof tenant === 'string' &&
    typeof conversationId === 'string' &&
    typeof callId === 'string' &&
    Number.isSafeInteger(hold) &&
    (kind === 'approve' || kind === 'reject')
  )
}

function plain(text: string): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }
}

function code(text: string): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }] }
}
