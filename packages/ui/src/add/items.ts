/** What can be added by itself. Whatever an item needs comes with it. */
export interface Item {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Of `src`; the main one first. */
  readonly files: readonly string[]
}

export const items: readonly Item[] = [
  {
    name: 'chat',
    title: 'Chat',
    description: 'Everything a conversation needs: messages, calls, approvals, forms, and where to write.',
    files: ['message-list.tsx', 'composer.tsx'],
  },
  {
    name: 'message-list',
    title: 'Message list',
    description: 'A conversation of any length, which stays at the bottom unless the reader scrolled up.',
    files: ['message-list.tsx'],
  },
  {
    name: 'message',
    title: 'Message',
    description: 'What was said and done in one turn, with markdown as it arrives.',
    files: ['message.tsx'],
  },
  {
    name: 'markdown',
    title: 'Markdown',
    description: 'Markdown as elements, never as markup.',
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
    description: 'What will run, exactly; approve, edit, reject.',
    files: ['approval-card.tsx'],
  },
  {
    name: 'elicitation-form',
    title: 'Elicitation form',
    description: 'A question to a person, as a form made from the schema of the answer.',
    files: ['elicitation-form.tsx'],
  },
  {
    name: 'hold-card',
    title: 'Hold card',
    description: 'Whatever waits, with what can be said to it.',
    files: ['hold-card.tsx', 'use-kept.ts'],
  },
  {
    name: 'space',
    title: 'Space',
    description: 'Everything a space needs: what people and agents say, calls with their cards, and where to write.',
    files: ['space-messages.tsx', 'composer.tsx'],
  },
  {
    name: 'space-message',
    title: 'Space message',
    description: 'One message of a space, a call that is shown there, or what an agent is writing.',
    files: ['space-message.tsx', 'space-writing.tsx'],
  },
  {
    name: 'composer',
    title: 'Composer',
    description: 'Where something is said, with a button to stop.',
    files: ['composer.tsx'],
  },
]
