/** The items of the registry. Copying an item also copies every file that it imports. */
export interface Item {
  readonly name: string
  readonly title: string
  readonly description: string
  /** File names in `src`, the main one first. */
  readonly files: readonly string[]
}

export const items: readonly Item[] = [
  {
    name: 'chat',
    title: 'Chat',
    description: 'Everything for a conversation: messages, calls, approvals, forms, and a message field.',
    files: ['message-list.tsx', 'composer.tsx'],
  },
  {
    name: 'message-list',
    title: 'Message list',
    description: 'The messages of a conversation. Stays at the newest message unless the reader scrolled up.',
    files: ['message-list.tsx'],
  },
  {
    name: 'message',
    title: 'Message',
    description: 'One message or one turn of an agent, with markdown while it is streamed.',
    files: ['message.tsx'],
  },
  {
    name: 'markdown',
    title: 'Markdown',
    description: 'Markdown as React elements, never as HTML.',
    files: ['markdown.tsx'],
  },
  {
    name: 'tool-call',
    title: 'Tool call',
    description: 'A call with its progress, answers and result, and a map of components by tool name.',
    files: ['tool-call.tsx', 'provider-tool.tsx', 'thinking.tsx'],
  },
  {
    name: 'approval-card',
    title: 'Approval card',
    description: 'The exact input that will run; approve, edit, reject.',
    files: ['approval-card.tsx'],
  },
  {
    name: 'elicitation-form',
    title: 'Elicitation form',
    description: 'A question to a person, as a form generated from the schema of the answer.',
    files: ['elicitation-form.tsx'],
  },
  {
    name: 'hold-card',
    title: 'Hold card',
    description: 'The card for any hold: approval, form, or a note about what the call waits for.',
    files: ['hold-card.tsx', 'use-kept.ts'],
  },
  {
    name: 'space',
    title: 'Space',
    description: 'Everything for a space: messages of people and agents, calls with their cards, and a message field.',
    files: ['space-messages.tsx', 'composer.tsx'],
  },
  {
    name: 'space-message',
    title: 'Space message',
    description: 'One message of a space, a visible call, or the text that an agent is writing.',
    files: ['space-message.tsx', 'space-writing.tsx'],
  },
  {
    name: 'composer',
    title: 'Composer',
    description: 'A message field, with a button to stop the turn.',
    files: ['composer.tsx'],
  },
]
