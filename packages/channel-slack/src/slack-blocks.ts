/** The blocks of a Slack message. The text of models is in blocks that Slack does not read as markup. */
import type { KnownBlock, RichTextBlock } from '@slack/web-api'
import { cutText, digestTitle, endWords, titleOf, type DigestMessage, type HoldMessage } from '@holdpoint/channels'
import type { HoldInSlack } from './hold-in-slack.ts'

/** Slack refuses longer texts. */
const MOST_TITLE = 150

export function slackBlocks(message: HoldMessage): KnownBlock[] {
  const { reason, askedBy, input, end, why, missing, expiresAt, reminded } = message
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
    actions(message, ['approve', 'edit', 'answer', 'reject', 'reason']),
  ]
}

/** One message for several holds: two blocks for each, because a message has at most 50. */
export function slackDigest(digest: DigestMessage): KnownBlock[] {
  const { holds, more, url } = digest
  return [
    { type: 'header', text: { type: 'plain_text', text: digestTitle(digest), emoji: false } },
    ...holds.flatMap((hold): KnownBlock[] => {
      const cut = hold.input.cut === 0 ? '' : `… ${hold.input.cut} more characters: open the whole.`
      const lines = [titleOf(hold), ...(hold.reason === undefined ? [] : [`Why: ${hold.reason}`])].join('\n')
      const { elements: title } = plain(lines)
      const { elements: input } = hold.input.text === '' ? { elements: [] } : code(hold.input.text)
      const { elements: note } = cut === '' ? { elements: [] } : plain(cut)
      const shown: RichTextBlock = { type: 'rich_text', elements: [...title, ...(hold.end ? [] : [...input, ...note])] }
      return hold.end ? [shown] : [shown, actions(hold, ['approve', 'reject'])]
    }),
    ...(more === 0 ? [] : [plain(`… ${more} more: ${url}`)]),
  ]
}

type ButtonName = 'approve' | 'reject' | 'edit' | 'answer' | 'reason'

function actions(message: HoldMessage, wanted: readonly ButtonName[]): KnownBlock {
  const { may, url } = message
  const allowed: Readonly<Record<ButtonName, boolean>> = {
    approve: may.approve,
    edit: may.approve,
    answer: may.answer,
    reject: may.reject,
    reason: may.reject,
  }
  return {
    type: 'actions',
    elements: [
      ...wanted.filter((name) => allowed[name]).map((name) => button(message, name)),
      { type: 'button', action_id: 'open', text: { type: 'plain_text', text: 'Open' }, url },
    ],
  }
}

type Actions = Extract<KnownBlock, { type: 'actions' }>['elements'][number]

const WORDS: Readonly<Record<ButtonName, string>> = {
  approve: 'Approve',
  edit: 'Edit…',
  answer: 'Answer…',
  reject: 'Reject',
  reason: 'Reject with a reason…',
}

function button({ tenant, conversationId, callId, hold, tool }: HoldMessage, name: ButtonName): Actions {
  const text = WORDS[name]
  const asks = name === 'approve' || name === 'reject' ? undefined : name
  const of: HoldInSlack = { tenant, conversationId, callId, hold, ...(asks && { asks }) }
  return {
    type: 'button',
    action_id: name,
    ...(name === 'approve' && { style: 'primary' as const }),
    ...(name === 'reject' && { style: 'danger' as const }),
    text: { type: 'plain_text', text },
    value: JSON.stringify(of),
    // A form asks by itself.
    ...(asks === undefined && {
      confirm: {
        title: { type: 'plain_text', text: cutText(`${text} ${tool}?`, 100).text },
        text: { type: 'plain_text', text: 'This is recorded with your name.' },
        confirm: { type: 'plain_text', text },
        deny: { type: 'plain_text', text: 'Back' },
      },
    }),
  }
}

function plain(text: string): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }
}

function code(text: string): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }] }
}
