/** Modals of Slack: arguments to edit, the form of a question, and a reason. Their fields come from the JSON Schema. */
import type { KnownBlock, ModalView } from '@slack/web-api'
import {
  cutText,
  fieldOfRefusal,
  formFields,
  formValue,
  visible,
  type FormField,
  type InboxHold,
} from '@holdpoint/channels'
import type { Resolution } from 'holdpoint'
import type { HoldInSlack } from './hold-in-slack.ts'

/** Limits of Slack. */
const MOST_TITLE = 24
const MOST_TEXT = 3000
const MOST_LABEL = 150
const MOST_CHOICE = 75
const MOST_VALUE = 150

const WORDS = {
  edit: ['Edit and approve', 'Approve'],
  answer: ['Answer', 'Send'],
  reason: ['Reject', 'Reject'],
} as const

/** The fields of a form. It is made again when it is sent, from the hold as it is then. */
export function slackFields(of: HoldInSlack, hold: InboxHold): readonly FormField[] {
  if (of.asks === 'reason') return [{ name: undefined, label: 'Reason', kind: 'text', required: false }]
  return of.asks === 'edit' ? formFields(hold.inputSchema, hold.input) : formFields(hold.answerSchema)
}

/** Whether Slack can show every value whole. What is not shown whole must not be sent back. */
export function fitsSlack(fields: readonly FormField[]): boolean {
  return fields.every(
    ({ initial = '', choices = [] }) =>
      initial.length <= MOST_TEXT && choices.every((choice) => choice.length <= MOST_VALUE),
  )
}

export function slackForm(
  of: HoldInSlack & { readonly asks: 'edit' | 'answer' | 'reason' },
  hold: InboxHold,
): ModalView {
  const [title, submit] = WORDS[of.asks]
  const { message } = hold
  return {
    type: 'modal',
    private_metadata: JSON.stringify(of),
    title: plain(title, MOST_TITLE),
    submit: plain(submit, MOST_TITLE),
    close: plain('Back', MOST_TITLE),
    blocks: [about(message.tool, message.reason), ...slackFields(of, hold).map(field)],
  }
}

/** Replaces the form by a sentence. */
export function slackSentence(text: string): ModalView {
  return {
    type: 'modal',
    title: plain('Holdpoint', MOST_TITLE),
    close: plain('Close', MOST_TITLE),
    blocks: [about(text)],
  }
}

/** What a form decides, or what is wrong with it, by the ids of its blocks. */
export function readSlackForm(
  of: HoldInSlack,
  fields: readonly FormField[],
  texts: readonly (string | undefined)[],
): { readonly resolution: Resolution } | { readonly errors: Readonly<Record<string, string>> } {
  if (of.asks === 'reason') {
    const reason = texts[0]?.trim() ?? ''
    return { resolution: reason === '' ? { kind: 'reject' } : { kind: 'reject', reason } }
  }
  const read = formValue(fields, texts)
  if ('errors' in read)
    return { errors: Object.fromEntries([...read.errors].map(([index, error]) => [`f${index}`, error])) }
  const { value } = read
  return { resolution: of.asks === 'edit' ? { kind: 'approve', input: value } : { kind: 'answer', value } }
}

/** A refusal of the tool's schema, at the field that it is about. */
export function slackErrors(fields: readonly FormField[], message: string): Readonly<Record<string, string>> {
  return { [`f${fieldOfRefusal(fields, message)}`]: cutText(visible(message), MOST_LABEL).text }
}

function field({ label, hint, kind, required, choices = [], initial }: FormField, index: number): KnownBlock {
  const base = {
    type: 'input' as const,
    block_id: `f${index}`,
    optional: !required,
    label: plain(visible(label) || 'Value', MOST_LABEL),
    ...(hint !== undefined && hint !== '' && { hint: plain(visible(hint), MOST_LABEL) }),
  }
  const values = kind === 'yes-no' ? ['true', 'false'] : choices
  if (values.length > 0) {
    const options = values.map((value) => ({ text: plain(wordOf(value, kind), MOST_CHOICE), value }))
    const first = options.find(({ value }) => value === initial)
    return {
      ...base,
      element: { type: 'static_select', action_id: 'v', options, ...(first && { initial_option: first }) },
    }
  }
  const isLong = kind === 'json' || (kind === 'text' && (initial ?? '').length > 80)
  return {
    ...base,
    element: {
      type: 'plain_text_input',
      action_id: 'v',
      multiline: isLong || kind === 'text',
      max_length: MOST_TEXT,
      ...(initial !== undefined && { initial_value: initial }),
    },
  }
}

function wordOf(value: string, kind: FormField['kind']): string {
  if (kind === 'yes-no') return value === 'true' ? 'yes' : 'no'
  const text: unknown = JSON.parse(value)
  return visible(typeof text === 'string' ? text : value)
}

function about(...lines: readonly (string | undefined)[]): KnownBlock {
  const text = lines.filter((line) => line !== undefined).join('\n')
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }
}

function plain(text: string, most: number): { type: 'plain_text'; text: string; emoji: false } {
  return { type: 'plain_text', text: cutText(text, most).text, emoji: false }
}
